// Bundles every page of src/ into build/: one ES module each, with its style sheet beside it.
// Several versions of one library live under other names in package.json; aliases pick one.

import { readFile } from "node:fs/promises";
import { build } from "esbuild";
import { compile } from "svelte/compiler";

const svelte = {
  name: "svelte",
  setup({ onLoad }) {
    onLoad({ filter: /\.svelte$/ }, async ({ path }) => {
      const { js } = compile(await readFile(path, "utf8"), { filename: path, generate: "client", css: "injected" });
      return { contents: js.code, loader: "js" };
    });
  },
};

const common = {
  bundle: true,
  format: "esm",
  minify: true,
  target: "es2022",
  outdir: "build",
  logLevel: "error",
  conditions: ["browser", "production"],
  define: {
    "process.env.NODE_ENV": '"production"',
    "process.env": "{}",
    global: "globalThis",
    __VUE_OPTIONS_API__: "true",
    __VUE_PROD_DEVTOOLS__: "false",
    __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: "false",
  },
  plugins: [svelte],
};

const react = (version) => ({ react: `react${version}`, "react-dom": `react-dom${version}` });
const pages = (...names) => names.map((name) => ({ in: `src/${name}.js`, out: name }));
const vue3 = "vue/dist/vue.esm-bundler.js";

await Promise.all([
  build({
    ...common,
    splitting: true,
    alias: { vue: vue3 },
    entryPoints: [
      { in: "src/react.js", out: "react19" },
      ...pages("vue3", "svelte", "angular", "lit", "preact", "alpine", "angularjs"),
      ...pages("radix", "headless", "mui", "antd", "react-select", "element-plus", "shoelace", "material"),
      ...pages("quill", "prosemirror", "codemirror", "slate", "lexical"),
    ],
  }),
  build({ ...common, alias: react(16), entryPoints: [{ in: "src/react-old.js", out: "react16" }] }),
  build({ ...common, alias: react(17), entryPoints: [{ in: "src/react-old.js", out: "react17" }] }),
  build({ ...common, alias: react(17), entryPoints: pages("draft") }),
  build({ ...common, alias: react(18), entryPoints: [{ in: "src/react.js", out: "react18" }] }),
  build({ ...common, alias: { vue: "vue2/dist/vue.esm.js" }, entryPoints: pages("vue2") }),
]);
