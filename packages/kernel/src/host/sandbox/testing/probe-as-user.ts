import { probeSandbox } from "../probe.ts";

/** Started by a test as a user who is not root. */
const { available, probes, missing } = await probeSandbox();
console.log(JSON.stringify({ uid: process.getuid?.(), available, failed: [...probes, ...missing].filter(({ passed }) => !passed) }));
