// Compresses files with brotli, as many at once as Node's pool has threads.
// Reads from standard input: {quality, jobs: [[source, target], ...]}.
import { readFile, stat, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";
import { main } from "./engine.mjs";

const compress = promisify(brotliCompress);

await main(async ({ quality, jobs }) => {
  const sizes = await Promise.all(jobs.map(async ([source]) => (await stat(source)).size));
  // The big ones first, so that no thread is left alone with the biggest at the end.
  const order = jobs.map((_, index) => index).sort((a, b) => sizes[b] - sizes[a]);
  const worker = async () => {
    for (let next = order.shift(); next !== undefined; next = order.shift()) {
      const [source, target] = jobs[next];
      const params = {
        [constants.BROTLI_PARAM_QUALITY]: quality,
        [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
        [constants.BROTLI_PARAM_SIZE_HINT]: sizes[next],
      };
      await writeFile(target, await compress(await readFile(source), { params }));
    }
  };
  await Promise.all([worker(), worker(), worker(), worker()]);
});
