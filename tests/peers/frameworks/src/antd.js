import { Checkbox, ConfigProvider, DatePicker, Form, Input, InputNumber, Radio, Select, Slider, Switch } from "antd";
import { createElement as h } from "react";
import { fruits, page } from "./react-page.js";

const start = {
  name: "", fruit: undefined, city: undefined, tags: [], agree: false, dark: false, plan: "free", amount: null, day: null, volume: 0,
};
const options = fruits.map((label) => ({ label, value: label.toLowerCase() }));
const cities = Array.from({ length: 60 }, (_, at) => ({ label: `City ${at + 1}`, value: at + 1 }));

export const mount = (root) => {
  const shown = page(root, start, (state, change) => h(ConfigProvider, null, h(Form, null,
    h(Form.Item, { label: "Name", htmlFor: "name" }, h(Input, { id: "name", value: state.name, onChange: (event) => change("name")(event.target.value) })),
    h(Form.Item, { label: "Fruit", htmlFor: "fruit" }, h(Select, { id: "fruit", options, placeholder: "Choose", value: state.fruit, onChange: change("fruit") })),
    h(Form.Item, { label: "City", htmlFor: "city" }, h(Select, {
      id: "city", showSearch: true, optionFilterProp: "label", options: cities, value: state.city, onChange: change("city"),
    })),
    h(Form.Item, { label: "Tags", htmlFor: "tags" }, h(Select, { id: "tags", mode: "multiple", options, value: state.tags, onChange: change("tags") })),
    h(Checkbox, { checked: state.agree, onChange: (event) => change("agree")(event.target.checked) }, "Agree"),
    h(Switch, { "aria-label": "Dark", checked: state.dark, onChange: change("dark") }),
    h(Form.Item, { label: "Plan" }, h(Radio.Group, {
      value: state.plan, onChange: (event) => change("plan")(event.target.value),
      options: [{ label: "Free", value: "free" }, { label: "Pro", value: "pro" }],
    })),
    h(Form.Item, { label: "Amount", htmlFor: "amount" }, h(InputNumber, { id: "amount", min: 1, max: 99, value: state.amount, onChange: change("amount") })),
    h(Form.Item, { label: "Day", htmlFor: "day" }, h(DatePicker, { id: "day", value: state.day, onChange: change("day") })),
    h("div", { style: { width: 300 } }, h(Slider, { ariaLabelForHandle: "Volume", max: 10, step: 5, value: state.volume, onChange: change("volume") })))));
  return { ...shown, state: () => ({ ...shown.state(), day: shown.state().day?.format("YYYY-MM-DD") ?? null }) };
};
