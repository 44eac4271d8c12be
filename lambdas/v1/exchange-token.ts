import * as z from "zod/mini";
import { endpoint } from "../declaration/endpoint.ts";
import { requireLocalIssuer } from "../environment.ts";
import { createExchange } from "../resources/tokens/by-workload/exchange-jwt.ts";
import { getPublicJson } from "../resources/tokens/by-workload/get-public-json.ts";
import { text } from "../validation/fields.ts";
import { issued, responseTo } from "./responses/token.ts";

const exchange = createExchange(getPublicJson);
