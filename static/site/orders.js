// The desk's order book. Names and addresses are invented.

/** @typedef {{id: string, customer: [string, string], city: [string, string], date: string, items: number, amount: number, status: string}} Order */

const row = (id, customer, city, date, items, amount, status) =>
  ({ id, customer, city, date, items, amount, status });

/** @type {Order[]} customer and city are [English, Chinese] */
export const orders = [
  row("HP-2051", ["Lin Yue", "林悦"], ["Hangzhou", "杭州"], "2026-03-18", 3, 428, "pending"),
  row("HP-2050", ["Omar Haddad", "奥马尔"], ["Shanghai", "上海"], "2026-03-18", 1, 1299, "packing"),
  row("HP-2049", ["Chen Mo", "陈默"], ["Chengdu", "成都"], "2026-03-17", 6, 836.5, "shipped"),
  row("HP-2048", ["Sofia Berg", "索菲亚"], ["Shenzhen", "深圳"], "2026-03-17", 2, 259, "completed"),
  row("HP-2047", ["Zhao Ning", "赵宁"], ["Nanjing", "南京"], "2026-03-16", 12, 3460, "pending"),
  row("HP-2046", ["Wang Jia", "王佳"], ["Beijing", "北京"], "2026-03-15", 4, 612.8, "completed"),
  row("HP-2045", ["Ines Duarte", "伊内斯"], ["Guangzhou", "广州"], "2026-03-15", 1, 89, "cancelled"),
  row("HP-2044", ["Liu Feng", "刘枫"], ["Xi’an", "西安"], "2026-03-14", 5, 745, "shipped"),
  row("HP-2043", ["Mei Sato", "佐藤芽衣"], ["Suzhou", "苏州"], "2026-03-13", 2, 318, "packing"),
  row("HP-2042", ["Huang Lei", "黄磊"], ["Wuhan", "武汉"], "2026-03-12", 9, 1984, "completed"),
  row("HP-2041", ["Tang Xin", "唐欣"], ["Xiamen", "厦门"], "2026-03-12", 3, 467.2, "shipped"),
  row("HP-2040", ["Noah Clarke", "诺亚"], ["Shanghai", "上海"], "2026-03-11", 1, 149, "completed"),
  row("HP-2039", ["Sun Qi", "孙琪"], ["Qingdao", "青岛"], "2026-03-10", 7, 1120, "pending"),
  row("HP-2038", ["Gao Yan", "高岩"], ["Dalian", "大连"], "2026-03-09", 2, 236, "completed"),
  row("HP-2037", ["Priya Nair", "普丽娅"], ["Hangzhou", "杭州"], "2026-03-08", 4, 540, "shipped"),
  row("HP-2036", ["Xu Ran", "徐然"], ["Kunming", "昆明"], "2026-03-07", 10, 2275, "completed"),
  row("HP-2035", ["Luca Moretti", "卢卡"], ["Beijing", "北京"], "2026-03-06", 1, 99, "cancelled"),
  row("HP-2034", ["Deng Hua", "邓华"], ["Changsha", "长沙"], "2026-03-05", 3, 389, "packing"),
  row("HP-2033", ["He Miao", "何苗"], ["Chongqing", "重庆"], "2026-03-04", 5, 688, "completed"),
  row("HP-2032", ["Anna Weiss", "安娜"], ["Shenzhen", "深圳"], "2026-03-03", 2, 274.4, "shipped"),
  row("HP-2031", ["Qian Bo", "钱博"], ["Ningbo", "宁波"], "2026-03-02", 8, 1560, "completed"),
  row("HP-2030", ["Fang Lan", "方兰"], ["Fuzhou", "福州"], "2026-03-01", 1, 129, "completed"),
  row("HP-2029", ["Jonas Vik", "约纳斯"], ["Tianjin", "天津"], "2026-02-27", 6, 902, "shipped"),
  row("HP-2028", ["Peng Tao", "彭涛"], ["Hefei", "合肥"], "2026-02-26", 2, 198, "completed"),
];

export const STATUSES = ["pending", "packing", "shipped", "completed", "cancelled"];
