import { probeSandbox } from "../probe.ts";

/** Started by a test as a non-root user. */
const { available, probes, missing } = await probeSandbox();
console.log(JSON.stringify({ uid: process.getuid?.(), available, failed: [...probes, ...missing].filter(({ passed }) => !passed) }));
