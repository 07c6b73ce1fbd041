/**
 * What the shell says before Python is there. Python has its own, larger table.
 */

const WORDS = {
  en: {
    title: "Assistant",
    welcome: "How can I help on this page?",
    welcomeMore: "Ask in your own words. I can read this page and act on it while you watch.",
    suggestions: "Suggestions",
    thread: "Conversation",
    placeholder: "Ask anything",
    placeholderBoot: "Type already, it is sent when I am ready",
    send: "Send",
    queue: "Send when the answer is finished",
    stop: "Stop",
    composerHint: "Enter to send, Shift + Enter for a new line",
    newChat: "New conversation",
    pause: "Pause the assistant's hands",
    paused: "Hands paused: the assistant can talk, but not act",
    open: "Open the assistant",
    close: "Close the assistant",
    collapse: "Collapse the assistant",
    retry: "Try again",
    booting: "Starting",
    stageDownload: "Loading Python",
    stageStart: "Starting Python",
    stageInterface: "Opening the conversation",
    stagePackages: "Loading the tools",
    failed: "The assistant could not start.",
    "failed-missing-file": "{file} is missing on the server.",
    "failed-blocked": "{file} could not be fetched: the network, a blocker or the page's policy refused it.",
    "failed-bad-type": "The server sends {file} with the wrong content type.",
    "failed-bad-hash": "{file} is not the file this page expects. Reload to get matching files.",
    "failed-no-wasm": "This browser, or the page's policy, does not allow WebAssembly.",
    "failed-python": "Python stopped while starting.",
    "failed-not-mounted": "The page's Python ended without mounting into this element.",
    kept: "What you wrote is kept.",
    details: "Details",
  },
  "zh-CN": {
    title: "助手",
    welcome: "需要我在这个页面上做什么？",
    welcomeMore: "直接用自己的话说。我可以读取并操作这个页面，每一步你都看得见。",
    suggestions: "可以这样说",
    thread: "对话",
    placeholder: "请输入问题",
    placeholderBoot: "现在就可以输入，准备好后自动发送",
    send: "发送",
    queue: "回答结束后发送",
    stop: "停止",
    composerHint: "Enter 发送，Shift + Enter 换行",
    newChat: "新对话",
    pause: "暂停助手的操作",
    paused: "操作已暂停：助手可以回答，但不能操作页面",
    open: "打开助手",
    close: "关闭助手",
    collapse: "收起助手",
    retry: "重试",
    booting: "正在启动",
    stageDownload: "正在加载 Python",
    stageStart: "正在启动 Python",
    stageInterface: "正在打开对话",
    stagePackages: "正在加载工具",
    failed: "助手未能启动。",
    "failed-missing-file": "服务器上缺少文件 {file}。",
    "failed-blocked": "无法获取 {file}：被网络、拦截插件或页面策略阻止。",
    "failed-bad-type": "服务器发送 {file} 时使用了错误的内容类型。",
    "failed-bad-hash": "{file} 与本页面要求的文件不一致，请刷新页面。",
    "failed-no-wasm": "此浏览器或页面策略不允许 WebAssembly。",
    "failed-python": "Python 在启动时停止了。",
    "failed-not-mounted": "页面的 Python 已结束，但没有挂载到此元素。",
    kept: "你输入的内容已保留。",
    details: "详情",
  },
};

/** The language to speak: the element's own `lang`, else the document's, else English. */
export function languageOf(element) {
  const wish = element.getAttribute("lang") || document.documentElement.lang || "en";
  return /^zh\b/i.test(wish) ? "zh-CN" : "en";
}

/** The words for `key`, with `{name}` filled in from `values`. */
export function word(lang, key, values = {}) {
  const text = WORDS[lang]?.[key] ?? WORDS.en[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}
