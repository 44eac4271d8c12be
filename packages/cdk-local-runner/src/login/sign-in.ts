import { createHash, randomBytes } from "node:crypto";
import * as z from "../support/zod.ts";

/** The required information about the running service. */
interface Running {
  baseUrl: string;
  loginUrl: string | undefined;
  loginClientIds: string[];
}

interface Credentials {
  username: string;
  password: string;
}

export interface Tokens {
  accessToken: string;
  idToken: string;
}

const tokensSchema = z.object({ access_token: z.string(), id_token: z.string() });

/** Signs in like a browser, with the code flow, PKCE and the login form, and returns the access token. */
export const signIn = async (service: Running, credentials: Credentials): Promise<string> =>
  (await signInForTokens(service, credentials)).accessToken;

/** Signs in like a browser and returns both tokens. */
export const signInForTokens = async (service: Running, credentials: Credentials): Promise<Tokens> => {
  const { browser, verifier, address } = startSignIn(service);
  const answer = await browser.follow(address, new URLSearchParams({ ...credentials }));
  const code = new URL(answer.url).searchParams.get("code");
  if (code === null) throw new Error(`The login responded with ${answer.status} at ${answer.url}: ${answer.text}`);
  return exchangeCode(service, { code, verifier });
};

/** Prepares a login: returns the address that an application would redirect its browser to, and the data needed later. */
export const startSignIn = (service: Running, parameters: Record<string, string> = {}) => {
  const verifier = randomBytes(32).toString("base64url");
  const address = new URL(`${service.loginUrl}/oauth2/authorize`);
  address.search = new URLSearchParams({
    client_id: clientOf(service),
    redirect_uri: `${service.baseUrl}/`,
    response_type: "code",
    scope: "openid email",
    state: "state",
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    ...parameters,
  }).toString();
  return { browser: createBrowser(), verifier, address: address.href };
};

/** Exchanges the code of a login for tokens. */
export const exchangeCode = async (
  service: Running,
  { code, verifier }: { code: string; verifier: string },
): Promise<Tokens> => {
  const body = new URLSearchParams({
    grant_type: "authorization_code",
    client_id: clientOf(service),
    redirect_uri: `${service.baseUrl}/`,
    code,
    code_verifier: verifier,
  });
  const response = await fetch(`${service.loginUrl}/oauth2/token`, { method: "POST", body });
  const { data } = tokensSchema.safeParse(await response.json());
  if (data === undefined) throw new Error(`The exchange of the authorization code failed with ${response.status}.`);
  return { accessToken: data.access_token, idToken: data.id_token };
};

const clientOf = ({ loginClientIds: [id] }: Running): string => {
  if (id === undefined) throw new Error("The service has no login.");
  return id;
};

/** Keeps the login's cookies. A visit ends at the address of the redirect. */
const createBrowser = () => {
  const cookies = new Map<string, string>();
  const follow = async (url: string, form?: URLSearchParams) => {
    const response = await fetch(url, {
      redirect: "manual",
      headers: { cookie: [...cookies].map((cookie) => cookie.join("=")).join("; ") },
      ...(form && { method: "POST", body: form }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const { status, headers } = response;
    return { url: headers.get("location") ?? url, status, headers, text: await response.text() };
  };
  return { follow };
};
