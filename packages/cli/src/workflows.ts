import { interfaceChange } from "@slipway/protocols/factory/changing";
import { engineering } from "@slipway/protocols/factory/engineering/engineering";
import { lateChange } from "@slipway/protocols/factory/late-change";
import { partial } from "@slipway/protocols/factory/partial";
import { productLoop } from "@slipway/protocols/factory/product/loop";
import { factory } from "@slipway/protocols/factory/protocol";
import { releaseLanding } from "@slipway/protocols/factory/release/landing";
import { feature, features } from "@slipway/protocols/features/protocol";

/** What can be started by itself. */
export const STARTED = [features, factory, partial, lateChange];

const PARTS = [feature, productLoop, engineering, interfaceChange, releaseLanding];

/** The version of every workflow, by its name: a run and all that is below it are pinned each for itself. */
export const VERSIONS: ReadonlyMap<string, string> = new Map([...STARTED, ...PARTS].map(({ name, version }) => [name, version]));
