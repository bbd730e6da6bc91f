import { NOT_NAMED } from "@slipway/kernel/host/sandbox/egress";
import { expect, test } from "vitest";
import { trafficRefusals } from "./traffic.ts";

test("only attempts to reach another server behind an allowed name are refusals of the agent", () => {
  const counted = { connections: 0, bytes_out: 0, bytes_in: 0 };
  const traffic = [
    { host: "model.example:443", ...counted, refused: ['its TLS hello is for "exfil.example"'] },
    { host: "telemetry.example:443", ...counted, refused: [NOT_NAMED] },
  ];
  expect(trafficRefusals(traffic)).toEqual([
    { tool: "network", path: "model.example:443", reason: 'its TLS hello is for "exfil.example"' },
  ]);
});
