import { WIRES } from "@slipway/agents/api/testing/endpoints";
import { apiFixture } from "@slipway/agents/api/testing/opened";
import { providerSuite } from "@slipway/agents/testing/provider-suite";
import { apiIsChosen } from "./installed.ts";

if (apiIsChosen()) for (const { wire, kind } of WIRES) providerSuite(apiFixture(`api:${kind}`, wire));
