import type { Protocol } from "../protocol.ts";
import { prepareFactory } from "./prepare.ts";
import { interfaceChange } from "./late-change/change-module.ts";
import { describeFactory } from "./describe.ts";
import { engineering } from "./engineering/engineering.ts";
import { lateChange, type LateChangeResult } from "./late-change/protocol.ts";
import { narrateFactory } from "./narrate.ts";
import { partial } from "./release/partial.ts";
import { productLoop } from "./product/loop.ts";
import { factory as root, type FactoryResult } from "./protocol.ts";
import { releaseLanding } from "./release/land-release.ts";
import { openFactoryServices } from "./services.ts";
import { viewFactory } from "./view.ts";

export const factory: Protocol = {
  started: [root, partial, lateChange],
  parts: [productLoop, engineering, interfaceChange, releaseLanding],
  open: (host) => {
    const services = openFactoryServices(host);
    return {
      workflows: services,
      // A release of named modules searches nothing.
      ready: async (workflow) => (workflow === partial.name ? undefined : services.codeIndex.assertSearchable()),
      close: () => services.language.close(),
    };
  },
  prepare: prepareFactory,
  narrate: narrateFactory,
  view: viewFactory,
  describe: (result) => describeFactory(result as FactoryResult | LateChangeResult),
};
