import { chooseEncoding } from "../../http/encoding.ts";
import { matchesAny, strongTag } from "../../http/entity-tags.ts";
import type { ApiEvent, ApiResponse } from "../../middlewares/request.ts";
import type { Content } from "./content.ts";

/** The HTTP response with a content: in the encoding that the client prefers, or `304` if the client already has it. */
export const renderContent = async (
  { status = 200, contentType, hash, isImmutable, bytes }: Content,
  { headers }: Pick<ApiEvent, "headers">,
): Promise<ApiResponse> => {
  const encoding = chooseEncoding(headers["accept-encoding"]);
  const entityTag = strongTag(`${hash}-${encoding}`);
  const cacheHeaders = {
    // Of a 304 too: API Gateway calls a response without a type a text, and caches update what they have stored.
    "Content-Type": contentType,
    Vary: "Accept-Encoding",
    "Cache-Control": isImmutable ? "public, max-age=31536000, immutable" : "no-cache",
    ...(status === 200 && { ETag: entityTag }),
  };
  if (status === 200 && matchesAny(headers["if-none-match"], entityTag))
    return { statusCode: 304, headers: cacheHeaders };

  return {
    statusCode: status,
    headers: {
      ...cacheHeaders,
      ...(encoding !== "identity" && { "Content-Encoding": encoding }),
    },
    // API Gateway accepts bytes only as base64, and passes them on as bytes.
    body: (await bytes(encoding)).toString("base64"),
    isBase64Encoded: true,
  };
};
