/**
 * Starts Python at once, for a page whose own PyScript uses the runtime as its interpreter: PyScript
 * asks for it only after its own preparations, and then joins this start. A failure is told to
 * everyone who waits for it; here it is only kept from being an error that nobody caught.
 */

import { startRuntime } from "./runtime.js";

startRuntime().catch(() => {});
