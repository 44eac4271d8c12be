/** The part of Swagger UI's interface that is used here. It is loaded as a separate script, without types. */
declare const SwaggerUIBundle: (options: {
  dom_id: string;
  url: string;
  plugins: Plugin[];
  requestInterceptor(request: OutgoingRequest): OutgoingRequest;
  docExpansion: "list";
  tryItOutEnabled: boolean;
  deepLinking: boolean;
  displayRequestDuration: boolean;
  defaultModelsExpandDepth: number;
  validatorUrl: null;
}) => void;

interface OutgoingRequest {
  url: string;
  /** Set for the request that loads the description. */
  loadSpec?: boolean;
  cache?: RequestCache;
  headers: Record<string, string>;
}

type Component = (properties: { text?: unknown }) => unknown;

interface System {
  React: { createElement(type: string, properties: object, ...children: unknown[]): unknown };
}

type Plugin = (system: System) => { wrapComponents: Record<string, () => Component> };

const descriptionUrl = "documentation/api-docs.json";

/**
 * Every call must ask for JSON, even if its response has no body; otherwise the API redirects it to this page. It also repeats
 * its path, so that the service refuses the call if something on the way changes the path. The browser must not store the
 * response.
 */
const prepareRequest = (request: OutgoingRequest): OutgoingRequest => {
  for (const name of Object.keys(request.headers)) {
    if (name.toLowerCase() === "accept") delete request.headers[name];
  }
  request.headers.Accept = "application/json";
  if (!request.loadSpec) {
    request.headers["X-Sent-Path"] = new URL(request.url, location.href).pathname;
    // A response can hold a v_code.
    request.cache = "no-store";
  }
  return request;
};

const ownComponents: Plugin = ({ React }) => ({
  wrapComponents: {
    // The only server is the one that served this page.
    ServersContainer: () => () => null,
    InfoUrl: () => () =>
      React.createElement("a", { className: "download", href: descriptionUrl, download: "" }, "Download api-docs.json"),
    // A link inside the button that opens an operation would not be reachable by keyboard.
    DeepLink:
      () =>
      ({ text }) =>
        React.createElement("span", {}, text),
  },
});

/** Swagger UI's dark colours depend on a class. */
const followColourScheme = (): void => {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const apply = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
  dark.addEventListener("change", apply);
  apply();
};

/** Names for controls that Swagger UI leaves unnamed, for screen readers. */
const controlNames = {
  ".examples-select-element": "Example",
  ".close-modal": "Close",
  ".modal-ux .authorize": "Authorize",
};

const nameControls = (): void => {
  for (const [selector, name] of Object.entries(controlNames)) {
    for (const control of document.querySelectorAll(selector)) {
      if (control.ariaLabel !== name) control.ariaLabel = name;
    }
  }
};

followColourScheme();
new MutationObserver(nameControls).observe(document.body, { childList: true, subtree: true });
SwaggerUIBundle({
  dom_id: "#documentation",
  url: descriptionUrl,
  plugins: [ownComponents],
  requestInterceptor: prepareRequest,
  docExpansion: "list",
  tryItOutEnabled: true,
  deepLinking: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  // The validator's badge would be loaded from a third-party host.
  validatorUrl: null,
});
