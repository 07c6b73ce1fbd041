import ElementPlus from "element-plus";
import "element-plus/dist/index.css";
import { createApp } from "vue";

const fruits = [{ value: "apple", label: "Apple" }, { value: "pear", label: "Pear" }, { value: "plum", label: "Plum" }];
const start = () => ({
  name: "", fruit: "", city: "", tags: [], agree: false, dark: false, plan: "free", amount: 1, day: null, volume: 0, opened: "",
});

const page = {
  data: () => ({ ...start(), fruits }),
  methods: {
    read() {
      return JSON.parse(JSON.stringify(Object.fromEntries(Object.keys(start()).map((key) => [key, this[key]]))));
    },
  },
  template: `<el-form>
    <el-form-item label="Name"><el-input v-model="name" /></el-form-item>
    <el-form-item label="Fruit"><el-select v-model="fruit"><el-option v-for="one in fruits" :key="one.value" v-bind="one" /></el-select></el-form-item>
    <el-form-item label="City"><el-select v-model="city" filterable>
      <el-option v-for="one in fruits" :key="one.value" :value="one.value" :label="'City of ' + one.label" /></el-select></el-form-item>
    <el-form-item label="Tags"><el-select v-model="tags" multiple><el-option v-for="one in fruits" :key="one.value" v-bind="one" /></el-select></el-form-item>
    <el-checkbox v-model="agree">Agree</el-checkbox>
    <el-switch v-model="dark" aria-label="Dark" />
    <el-form-item label="Plan"><el-radio-group v-model="plan"><el-radio value="free">Free</el-radio><el-radio value="pro">Pro</el-radio></el-radio-group></el-form-item>
    <el-form-item label="Amount"><el-input-number v-model="amount" :min="1" :max="99" /></el-form-item>
    <el-form-item label="Day"><el-date-picker v-model="day" value-format="YYYY-MM-DD" /></el-form-item>
    <el-slider v-model="volume" aria-label="Volume" :max="10" :step="5" style="width: 300px" />
    <el-menu @select="(index) => { opened = index; }">
      <el-sub-menu index="1"><template #title><span>Goods</span></template><el-menu-item index="1-1">Stock</el-menu-item></el-sub-menu>
      <el-menu-item index="2">Orders</el-menu-item>
    </el-menu>
  </el-form>`,
};

export function mount(root) {
  const application = createApp(page).use(ElementPlus);
  const shown = application.mount(root);
  return { state: () => shown.read(), close: () => application.unmount() };
}
