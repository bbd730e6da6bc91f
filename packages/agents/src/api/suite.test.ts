import { providerSuite } from "../testing/provider-suite.ts";
import { WIRES } from "./testing/endpoints.ts";
import { apiFixture } from "./testing/opened.ts";

for (const { wire } of WIRES) providerSuite(apiFixture(`api, ${wire} format`, wire));
