import { getPublicJson } from "../resources/tokens/by-workload/get-public-json.ts";
import { exchangeEndpoint } from "./exchange-endpoint.ts";

export const exchangeToken = exchangeEndpoint(getPublicJson);
