import type { OpenContext } from "../open.ts";
import { priceOf } from "../prices/price.ts";
import { priceFor } from "../prices/table.ts";
import type { Provider } from "../provider.ts";
import type { Selection } from "../select.ts";
import { chooseModel, endpointsOf, isOwn, keyFor } from "./endpoints.ts";

/** Fails before any cost if the endpoint or key of the chosen model is missing. */
export async function openApi({ agents, env }: OpenContext, { model, configEnv }: Selection): Promise<Provider> {
  const known = endpointsOf(agents);
  const chosen = chooseModel(model, known).endpoint;
  // The variable named for the run applies only to the endpoint of the run's model.
  const endpoints = known.map((endpoint) => (endpoint === chosen && configEnv !== null ? { ...endpoint, keyEnv: configEnv } : endpoint));
  keyFor(chooseModel(model, endpoints).endpoint, env);
  // Loaded late: the SDKs take longer to load than most commands run.
  const { apiProvider } = await import("./provider.ts");
  const prices = agents?.runtime.prices;
  return apiProvider({
    endpoints,
    env,
    keepsReserve: agents?.runtime.budgets !== undefined,
    priceOf: ({ endpoint, model }, call) =>
      priceOf(priceFor("api", `${endpoint.name}/${model}`, prices) ?? (isOwn(endpoint) ? { input: 0, output: 0 } : null), call),
  });
}
