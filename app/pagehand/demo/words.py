"""Words in two languages and the ideas they stand for.

The demo model compares what a person says with what a tool says of itself. Both are turned
into terms: ideas from the table below where the table knows them, else the word's stem, and
for Chinese, which has no gaps between words, pairs of neighbouring characters.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

# One line an idea: English words (`_` for a space), then Chinese ones.
_ACTIONS = """
open: open visit launch jump 打开 跳转 访问
go: go navigate 前往 转到 去到 进入 跳到 导航
back: go_back previous_page 返回 后退 上一页
scroll: scroll 滚动 滚到 翻到 下拉 拉到
find: find search query filter look_up look_for locate which how_many sort 查询 查找 搜索 筛选 \
过滤 检索 找出 找到 查一下 哪些 多少 几个 几条 有几 排序
read: read summarize summarise get fetch show view tell see look_at 读取 阅读 查看 看看 看一下 \
显示 获取 总结 概括 有什么
list: list enumerate 列出 列举 有哪些
fill: fill fill_in enter type input complete 填 填写 输入 录入 填入
set: set change update edit modify adjust switch turn 设置 设为 设成 改成 改为 \
修改 更新 调整 切换 换成
select: select choose pick 选择 选中 挑选 选成
tick: tick check uncheck untick enable disable toggle 勾选 勾上 取消勾选 启用 停用
submit: submit 提交
click: click press tap 点击 点一下 单击 按下 按一下
copy: copy clipboard 复制 拷贝 剪贴板
save: save remember store keep memorize write note_down jot_down 保存 记住 记下 存储 存下 写入 存到
remove: remove delete clear erase forget 删除 移除 清除 清空 忘掉 忘记
undo: undo revert take_back 撤销 还原 撤回
highlight: highlight mark point_out 高亮 突出 标出 标记
wait: wait 等待 等一下 等到
ask: ask 询问 问我 问一下
send: send mail_to 发送 发给
create: create add insert 新建 创建 添加 新增 加入
close: close hide dismiss 关闭 关掉 隐藏 收起
play: play 播放
stop: stop pause 停止 暂停
download: download 下载
upload: upload 上传
print: print 打印
export: export 导出
translate: translate 翻译
calculate: calculate compute add_up 计算 算一下
count: count 统计 数一数
book: book reserve schedule 预订 预约 安排
buy: buy purchase checkout 购买 下单 结账
share: share 分享
refresh: refresh reload 刷新
greet: greet say_hello 打招呼 问候
"""

_THINGS = """
url: url link website site web_address full_address http https 网址 链接 网站
page: page screen document 页面 本页 网页 屏幕
text: text word content 文字 文本 内容
user: user account profile who_am_i whoami my_name my_email my_e_mail my_mail my_department \
signed_in logged_in 用户 账号 账户 我是谁 个人信息 我的信息 我的邮箱 我的部门 我的名字 \
我叫什么 登录信息
form: form field 表单 字段 输入框
name: name 姓名 名字 名称 用户名
email: email e_mail mail 邮箱 邮件 电子邮件
phone: phone tel telephone mobile 电话 手机
date: date day 日期
time: time clock hour 时间 几点
quantity: quantity qty 数量
amount: amount price cost total 金额 价格 总价 总额
product: product item article 产品 商品
customer: customer client buyer 客户 顾客 买家
status: status state 状态
city: city town 城市
country: country 国家
department: department 部门
priority: priority urgency 优先级
title: title subject heading 标题 主题
message: message 消息 留言
note: note memo 笔记 备注 便签
language: language 语言
colour: colour color 颜色
theme: theme 主题
dark: dark dark_mode night 深色 暗色 夜间
light: light light_mode 浅色 亮色
weather: weather temperature forecast 天气 气温
order: order 订单
table: table grid row record column 表格 记录
data: data 数据
list: item_list 列表 清单
section: section part area paragraph chapter 部分 区域 章节 板块
top: top beginning 顶部 最上面 开头
bottom: bottom end 底部 最下面 末尾
up: up 向上 往上
down: down 向下 往下
button: button 按钮
checkbox: checkbox checked 复选框 开关
option: option dropdown 选项 下拉框
selection: selection selected 选中的 选区 所选
storage: storage localstorage sessionstorage memory browser_storage 本地存储 缓存
key: key 键名
cart: cart basket 购物车
file: file 文件
image: image picture photo 图片 照片
video: video 视频
music: music song 音乐 歌曲
map: map 地图
news: news 新闻
calendar: calendar event meeting appointment 日程 会议 日历
task: task todo to_do 任务 待办
contact: contact 联系人
stock: stock inventory 库存
shipping: shipping delivery 配送 物流 送货 发货
return: refund 退货 退款
payment: payment 支付 付款
pending: pending pending_review waiting_for_review 待审核 待处理 审核中
shipped: shipped 已发货
paid: paid 已付款 已支付
cancelled: cancelled canceled 已取消
delivered: delivered 已送达 已签收
packing: packing to_pack 待打包 打包中
"""


def word_set(*lines: str) -> frozenset[str]:
    """The words of some lines."""
    return frozenset(word for line in lines for word in line.split())


_STOP = word_set(
    "a an the to of in on for me my mine your our their please can could would will you i we us it",
    "is are was were be am do does did this that these those with and or from at by as so if when",
    "into out about not no yes just also then now all any some one its has have had want need like",
    "what which who how where when there here tool them person call used use",
)
_STOP_CHARACTERS = "的了吗呢吧请帮我你您把将在是和与个一下给这那里中为到时当要求并且或"

STATUSES = ("pending", "shipped", "paid", "cancelled", "delivered", "packing")
"""Ideas that are a status when they stand beside a thing."""

_WORD = "[a-z0-9]+"
_HAN = "[\u4e00-\u9fff]"


def is_chinese(text: str) -> bool:
    """Whether a text holds a Chinese character."""
    return not text.isascii() and re.search(_HAN, text) is not None


@lru_cache(4_000)
def stem(word: str) -> str:
    """The word without its ending; the same for all forms of a word, if not always a word."""
    word = word.lower()
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz":
                word = word[:-1]
            break
    return word[:-1] if len(word) > 3 and word.endswith("e") else word


def split_name(name: str) -> str:
    """A tool's or parameter's name as words: `fillForm-field_2` gives `fill Form field 2`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[-_./]+", " ", name)


def stems(text: str) -> list[str]:
    """The stems of the English words, in order."""
    return [stem(word) for word in re.findall(_WORD, text.lower())]


@cache
def _table() -> tuple[dict[str, str], list[tuple[str, str]]]:
    """Single stems to ideas, and longer phrases (and all Chinese) to look for as text."""
    singles: dict[str, str] = {}
    phrases: list[tuple[str, str]] = []
    for line in (_ACTIONS + _THINGS).replace("\\\n", "").splitlines():
        idea, _, words = line.partition(":")
        for word in words.split():
            if is_chinese(word):
                phrases.append((word, idea))
            elif "_" in word:
                phrases.append((" ".join(map(stem, word.split("_"))), idea))
            else:
                singles.setdefault(stem(word), idea)
    phrases.sort(key=lambda pair: -len(pair[0]))
    return singles, phrases


@cache
def actions() -> frozenset[str]:
    """The ideas that are something to do."""
    return frozenset(
        line.partition(":")[0] for line in _ACTIONS.replace("\\\n", "").splitlines() if line
    )


_GENERAL = frozenset(("read", "list", "find", "set", "create", "go"))
"""Actions that half of all tools do: they say little alone."""


def _factor(idea: str) -> float:
    if idea in _GENERAL:
        return 0.5
    return 1.2 if idea in actions() else 1.0


@lru_cache(2_000)
def terms(text: str) -> dict[str, float]:
    """What a text is about: each term with how much it says.

    Ideas come as `=name`, stems as they are, Chinese pairs as two characters.
    """
    found: dict[str, float] = {}
    rest = f" {' '.join(stems(text))} "
    chinese = text if is_chinese(text) else ""
    singles, phrases = _table()
    for phrase, idea in phrases:
        if phrase in chinese:
            chinese = chinese.replace(phrase, " ")
            found[f"={idea}"] = _factor(idea)
        elif f" {phrase} " in rest:
            found[f"={idea}"] = _factor(idea)
    for word in re.findall(_WORD, text.lower()):
        idea = "" if word in _STOP else singles.get(stem(word), "")
        if idea:
            found[f"={idea}"] = _factor(idea)
        elif word not in _STOP and len(word) > 1 and not word.isdigit():
            found[stem(word)] = 0.8
    for pair in _pairs(chinese):
        found[pair] = 0.5
    return found


def _pairs(chinese: str) -> list[str]:
    """Neighbouring characters that may be a word."""
    return [
        run[start : start + 2]
        for run in re.findall(f"{_HAN}+", chinese)
        for start in range(len(run) - 1)
        if not set(run[start : start + 2]) & set(_STOP_CHARACTERS)
    ]


def is_general(idea: str) -> bool:
    """Whether an idea alone says too little to pick a tool by."""
    return idea in _GENERAL


def ideas(text: str) -> set[str]:
    """The ideas of a text."""
    return {term[1:] for term in terms(text) if term[0] == "="}


def same_meaning(one: str, other: str) -> bool:
    """Whether two names, perhaps in two languages, mean the same."""
    if one.strip().lower() == other.strip().lower():
        return True
    left, right = set(terms(split_name(one))), set(terms(split_name(other)))
    return bool(left) and left == right


def chinese_words(idea_names: frozenset[str]) -> list[str]:
    """The Chinese words of these ideas, longest first."""
    return [word for word, idea in _table()[1] if idea in idea_names and is_chinese(word)]
