import type { ApiEvent, ApiResponse, Request } from "../../../lambdas/middlewares/request.ts";
import { lambdaContext } from "../../../tools/support/events.ts";

/** A request as middy passes it to a middleware. */
export const middyRequest = (
  event: ApiEvent,
  { response = null, error = null }: { response?: ApiResponse | null; error?: unknown } = {},
): Request => ({
  event,
  context: lambdaContext,
  response,
  error: error as Error | null,
  earlyResponse: undefined,
  internal: {},
});
