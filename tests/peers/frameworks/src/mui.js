import Autocomplete from "@mui/material/Autocomplete";
import Checkbox from "@mui/material/Checkbox";
import FormControl from "@mui/material/FormControl";
import FormControlLabel from "@mui/material/FormControlLabel";
import FormLabel from "@mui/material/FormLabel";
import InputLabel from "@mui/material/InputLabel";
import MenuItem from "@mui/material/MenuItem";
import Radio from "@mui/material/Radio";
import RadioGroup from "@mui/material/RadioGroup";
import Select from "@mui/material/Select";
import Slider from "@mui/material/Slider";
import Switch from "@mui/material/Switch";
import TextField from "@mui/material/TextField";
import { createElement as h, Fragment } from "react";
import { fruits, page } from "./react-page.js";

const start = { name: "", note: "", fruit: "", tags: [], city: null, agree: false, dark: false, plan: "free", volume: 0 };
const items = fruits.map((name) => h(MenuItem, { key: name, value: name.toLowerCase() }, name));
const value = (key, change) => (event) => change(key)(event.target.value);
const checked = (key, change) => (event) => change(key)(event.target.checked);

const list = (label, key, state, change, multiple) => h(FormControl, { fullWidth: true },
  h(InputLabel, { id: `${key}-label` }, label),
  h(Select, { labelId: `${key}-label`, id: key, label, multiple, value: state[key], onChange: value(key, change) }, items));

export const mount = (root) => page(root, start, (state, change) => h(Fragment, null,
  h(TextField, { id: "name", label: "Name", value: state.name, onChange: value("name", change) }),
  h(TextField, { id: "note", label: "Note", multiline: true, value: state.note, onChange: value("note", change) }),
  list("Fruit", "fruit", state, change, false),
  list("Tags", "tags", state, change, true),
  h(Autocomplete, {
    options: ["Berlin", "Bern", "Paris"], value: state.city, onChange: (_, found) => change("city")(found),
    renderInput: (given) => h(TextField, { ...given, label: "City" }),
  }),
  h(FormControlLabel, { label: "Agree", control: h(Checkbox, { checked: state.agree, onChange: checked("agree", change) }) }),
  h(FormControlLabel, { label: "Dark", control: h(Switch, { checked: state.dark, onChange: checked("dark", change) }) }),
  h(FormControl, null, h(FormLabel, { id: "plan" }, "Plan"),
    h(RadioGroup, { "aria-labelledby": "plan", value: state.plan, onChange: value("plan", change) },
      h(FormControlLabel, { value: "free", label: "Free", control: h(Radio) }),
      h(FormControlLabel, { value: "pro", label: "Pro", control: h(Radio) }))),
  h(Slider, { "aria-label": "Volume", value: state.volume, max: 10, step: 5, onChange: (_, found) => change("volume")(found) })));
