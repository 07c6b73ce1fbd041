"""What the fields of arguments and results are called: in Chinese by name, else as written."""

from __future__ import annotations

from pagehand.ui.format import title_of
from pagehand.ui.i18n import language

# The arguments of the built-in tools, what their results hold, and what other tools often have.
_CHINESE = {
    "accept": "接受的类型",
    "amount": "数量",
    "any_of": "满足任一",
    "behavior": "方式",
    "body": "正文",
    "changes_only": "只看变化",
    "checked": "勾选",
    "choices": "选项",
    "code": "代码",
    "column": "列",
    "columns": "列",
    "container": "容器",
    "contains": "包含",
    "data": "数据",
    "date": "日期",
    "depth": "层数",
    "direction": "方向",
    "double": "双击",
    "element": "元素",
    "element_gone": "等待消失的元素",
    "email": "邮箱",
    "error": "错误",
    "fields": "字段",
    "filters": "筛选条件",
    "form": "表单",
    "formId": "表单",
    "from": "起点",
    "gone": "等待消失的文字",
    "id": "编号",
    "idle": "等待页面静止",
    "key": "键",
    "limit": "数量上限",
    "match_case": "区分大小写",
    "max_chars": "字数上限",
    "message": "消息",
    "method": "方法",
    "name": "名称",
    "offset": "起始位置",
    "operator": "运算符",
    "options": "选项",
    "params": "参数",
    "path": "路径",
    "pixels": "像素",
    "place": "位置",
    "question": "问题",
    "reason": "原因",
    "regex": "正则表达式",
    "result": "结果",
    "seconds": "秒数",
    "selector": "元素",
    "sortBy": "排序列",
    "sortOrder": "排序方向",
    "source": "来源",
    "storageType": "存储类型",
    "success": "成功",
    "summary": "摘要",
    "target": "目标",
    "text": "文字",
    "times": "次数",
    "title": "标题",
    "to": "终点",
    "to_end": "读到末尾",
    "total": "总数",
    "type": "类型",
    "url": "网址",
    "value": "值",
    "values": "值",
    "where": "条件",
}


def field_name(key: str) -> str:
    """A field's name as words: `sortBy` gives "Sort by" or "排序列"."""
    known = _CHINESE.get(key) if language() == "zh-CN" else None
    return known or title_of(key)
