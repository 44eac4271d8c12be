import type { Endpoint } from "../declaration/endpoint.ts";
import { mergeUses, tokenCheck } from "../declaration/stores.ts";
import { formBody } from "../middlewares/form-body.ts";
import { limitRate } from "../middlewares/limit-rate.ts";
import { recordUse } from "../middlewares/record-use.ts";
import { validateInput } from "../middlewares/validate-input.ts";
import { verifyToken } from "../middlewares/verify-token.ts";
import { apiChain } from "./api-chain.ts";
import { renderAnswer } from "./render-answer.ts";
import { createStores } from "./stores.ts";

/** Where an endpoint is served. */
interface Place {
  version: string;
  /** Headers that the version adds to each answer. */
  headers?: Record<string, string>;
}

/**
 * The Lambda handler of an endpoint, wrapped in the chain that every endpoint has.
 *
 * The order is the contract: nothing is looked up for a client that does not ask for JSON, nothing is read for a caller
 * who is not verified, nothing reaches the handler that is not valid.
 */
export const serveEndpoint = (endpoint: Endpoint, { version, headers = {} }: Place) => {
  const stores = createStores(mergeUses(endpoint.uses, tokenCheck));

  return apiChain({ headers })
    .use(verifyToken(stores))
    .use(limitRate(stores))
    .use(recordUse(stores))
    .use(endpoint.form ? formBody() : [])
    .use(validateInput(endpoint))
    .handler(async (event) =>
      renderAnswer(await endpoint.handler({ ...event.input, caller: event.caller }, stores), { version, event }),
    );
};
