import { type AnyAnswer, type Endpoint, largestPageAhead } from "../declaration/endpoint.ts";
import { mergeUses, tokenCheck } from "../declaration/stores.ts";
import { formBody } from "../middlewares/form-body.ts";
import { limitRate } from "../middlewares/limit-rate.ts";
import { recordUse } from "../middlewares/record-use.ts";
import type { ApiEvent } from "../middlewares/request.ts";
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
 * The order is the contract: nothing is looked up for a client that does not ask for JSON, nothing is answered to a caller
 * who is not verified, nothing reaches the handler that is not valid. An endpoint that reads ahead keeps it too: its work
 * begins beside the token look-up, and is thrown away if the token is refused.
 */
export const serveEndpoint = (endpoint: Endpoint, { version, headers = {} }: Place) => {
  const stores = createStores(mergeUses(endpoint.uses, tokenCheck));
  const queryNames = Object.keys(endpoint.query?._zod.def.shape ?? {});

  return apiChain({ headers })
    .use(verifyToken({ ...stores, ahead: endpoint.readsAhead !== undefined }))
    .use(limitRate(stores))
    .use(recordUse(stores))
    .use(endpoint.form ? formBody() : [])
    .use(validateInput(endpoint))
    .handler(async (event) => {
      if (endpoint.readsAhead === "page" && !isSmallPage(event)) await event.verdict;
      const work = endpoint.handler({ ...event.input, caller: event.caller }, stores);
      return renderAnswer(await admitted(work, event.verdict), { version, event, queryNames });
    });
};

/** The outcome of the work, if the verdict is good. Both have ended by then: nothing of a call outlives its answer. */
const admitted = async (work: Promise<AnyAnswer>, verdict: Promise<void> | undefined): Promise<AnyAnswer> => {
  try {
    return await work;
  } finally {
    // A refusal takes the place of whatever came of the work.
    await verdict;
  }
};

const isSmallPage = ({ input }: ApiEvent): boolean => {
  const { limit }: { limit?: unknown } = input?.query ?? {};
  return typeof limit === "number" && limit <= largestPageAhead;
};
