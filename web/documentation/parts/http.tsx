import { documentationPage } from "../../../lambdas/shared/addresses.ts";

/** Links to the explanation of an error. */
export const ErrorLink = ({ code }: { code: string }) => (
  <a className="error-link" href={`${documentationPage("errors")}#${code}`}>
    {code}
  </a>
);

export const Method = ({ method }: { method: string }) => (
  <span className={`method ${method.toLowerCase()}`}>{method}</span>
);

const names: Readonly<Record<number, string>> = {
  200: "OK",
  201: "Created",
  202: "Accepted",
  204: "No Content",
  302: "Found",
  304: "Not Modified",
  307: "Temporary Redirect",
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  409: "Conflict",
  412: "Precondition Failed",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  422: "Unprocessable Content",
  429: "Too Many Requests",
  500: "Internal Server Error",
  503: "Service Unavailable",
};

/** Returns a status with its reason phrase, such as `404 Not Found`. HTTP/2 doesn't transmit the phrase. */
export const statusText = (status: number): string => `${status} ${names[status] ?? ""}`.trim();
