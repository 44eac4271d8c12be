import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { escapeMarkup } from "../support/http-listener.ts";

const style = readFileSync(new URL("./pages.css", import.meta.url), "utf8");
const styleHash = hash("sha256", style, "base64");

/**
 * Returns the headers of every login response.
 *
 * @param origins where a form may lead: browsers also apply the policy to redirects after the form
 */
export const pageHeaders = (origins: string[]): Record<string, string> => ({
  "content-security-policy": `default-src 'none'; style-src 'sha256-${styleHash}'; img-src data:; form-action ${["'self'", ...origins].join(" ")}; base-uri 'none'; frame-ancestors 'none'`,
  "cache-control": "no-store",
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
});

interface LoginForm {
  /** The name of the application that the user signs in to. */
  name: string | undefined;
  /** The address that the user will be redirected to. */
  destination: string;
  username: string;
  error: string | undefined;
}

/** Returns a page that asks for name and password. The form is sent to the page's own address. */
export const loginPage = ({ name, destination, username, error }: LoginForm): string =>
  page(
    error === undefined ? "Sign in" : "Error: sign in",
    `<h1>Sign in</h1>
      <p>to ${name === undefined ? "" : `<strong>${escapeMarkup(name)}</strong>, `}${escapeMarkup(destination)}</p>
      ${error === undefined ? "" : `<p class="error" id="error" role="alert">${escapeMarkup(error)}</p>`}
      <form method="post">
        <label for="username">User name</label>
        <input id="username" name="username" type="text" inputmode="email" autocomplete="username" autocapitalize="none"
          spellcheck="false" required value="${escapeMarkup(username)}"${username === "" ? " autofocus" : ""}>
        <label for="password">Password</label>
        <input id="password" name="password" type="password" autocomplete="current-password"
          required${username === "" ? "" : " autofocus"}${error === undefined ? "" : ' aria-describedby="error"'}>
        <button>Sign in</button>
      </form>
      <p>The terminal of this local run shows the names and passwords.</p>`,
  );

/** Returns a page with a message and a link back to the application. */
export const messagePage = (title: string, text: string, destination: string): string =>
  page(
    title,
    `<h1>${escapeMarkup(title)}</h1>
      <p>${escapeMarkup(text)}</p>
      <p><a href="${escapeMarkup(destination)}">Go to ${escapeMarkup(destination)}</a></p>`,
  );

const page = (title: string, main: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escapeMarkup(title)}</title>
    <link rel="icon" href="data:,">
    <style>${style}</style>
  </head>
  <body>
    <main>
      ${main}
    </main>
  </body>
</html>
`;
