import type { Protocol } from "../protocol.ts";
import { interfaceChange } from "./changing.ts";
import { describeFactory } from "./describe.ts";
import { engineering } from "./engineering/engineering.ts";
import { lateChange, type LateChangeResult } from "./late-change.ts";
import { narrateFactory } from "./narrate.ts";
import { partial } from "./partial.ts";
import { productLoop } from "./product/loop.ts";
import { factory as root, type FactoryResult } from "./protocol.ts";
import { releaseLanding } from "./release/landing.ts";
import { openFactoryShop } from "./shop.ts";
import { viewFactory } from "./view.ts";

export const factory: Protocol = {
  started: [root, partial, lateChange],
  parts: [productLoop, engineering, interfaceChange, releaseLanding],
  open: (host) => {
    const shop = openFactoryShop(host);
    return {
      workflows: shop,
      // A release of named modules searches nothing.
      ready: async (workflow) => (workflow === partial.name ? undefined : shop.codeIndex.assertSearchable()),
      close: () => shop.language.close(),
    };
  },
  narrate: narrateFactory,
  view: viewFactory,
  describe: (result) => describeFactory(result as FactoryResult | LateChangeResult),
};
