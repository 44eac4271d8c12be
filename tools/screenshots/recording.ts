import { writeFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { codeFont } from "./code-font.ts";

interface Frame {
  /** A WebP picture in Base64. */
  picture: string;
  seconds: number;
}

/** Records pages as an animated SVG, picture by picture. Browsers and GitHub play it in a loop. */
const startRecording = () => {
  const frames: Frame[] = [];
  return {
    /** Adds the current view of a page for some seconds. */
    async show(page: Page, seconds: number): Promise<void> {
      const session = await page.context().newCDPSession(page);
      const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 75 });
      await session.detach();
      frames.push({ picture: data, seconds });
    },
    write: (file: string, size: { width: number; height: number }) => writeFile(file, animate(frames, size)),
  };
};

/** Joins the frames into an animation. Users who prefer reduced motion see only the last picture. */
const animate = (frames: readonly Frame[], { width, height }: { width: number; height: number }): string => {
  const total = frames.reduce((sum, { seconds }) => sum + seconds, 0);
  let shown = 0;
  const styles = frames.map(({ seconds }, index) => {
    const from = percent(shown / total);
    shown += seconds;
    const keyframes = `@keyframes f${index}{0%,${percent(shown / total)},100%{visibility:hidden}${from}{visibility:visible}}`;
    return `${keyframes}#f${index}{animation:f${index} ${total}s step-end infinite}`;
  });
  const images = frames.map(
    ({ picture }, index) =>
      `<image id="f${index}" width="${width}" height="${height}" href="data:image/webp;base64,${picture}"/>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}">`,
    "<title>An admin invites a client, which redeems the invitation and rotates its token.</title>",
    `<style>@media(prefers-reduced-motion:no-preference){${styles.join("")}}</style>`,
    ...images,
    "</svg>",
    "",
  ].join("\n");
};

const percent = (part: number): string => `${(100 * part).toFixed(2)}%`;

const size = { width: 1080, height: 640 };

interface TourOptions {
  /** The page with the list of tokens, after signing in. */
  page: Page;
  baseUrl: string;
  file: string;
}

/** Records how an admin invites a client, and how the client redeems the invitation and rotates its token. */
export const recordTour = async ({ page, baseUrl, file }: TourOptions): Promise<void> => {
  const recording = startRecording();
  const terminal = await page.context().newPage();
  for (const each of [page, terminal]) await each.setViewportSize(size);
  const lines: string[] = [];
  /** Shows a command of the client's operator, makes the corresponding call, and shows the response. */
  const call = async (path: string, credential: { name: string; text: string }, form?: string): Promise<string> => {
    const data = form === undefined ? "" : ` -d ${form}`;
    lines.push(
      `$ curl -X POST ${baseUrl}${path} -H 'Accept: application/json' -H "X-Token: $${credential.name}"${data}`,
    );
    await showLines(terminal, lines);
    await recording.show(terminal, 1.5);
    const headers = { Accept: "application/json", "X-Token": credential.text };
    const body = form === undefined ? null : new URLSearchParams(form);
    const response = await fetch(`${baseUrl}${path}`, { method: "POST", headers, body });
    const { token, ...rest } = (await response.json()) as { token: string };
    lines.push(JSON.stringify({ ...rest, token: `${token.slice(0, 8)}…` }, undefined, 2), "");
    await showLines(terminal, lines);
    await recording.show(terminal, 2.5);
    return token;
  };

  const dialog = page.getByRole("dialog");
  await recording.show(page, 1);
  await page.getByRole("button", { name: "Invite a client" }).first().click();
  await dialog.getByLabel(/^Comment/).fill("order desk");
  await dialog.getByLabel(/^IP address/).fill("127.0.0.1");
  await recording.show(page, 1.5);
  await dialog.getByRole("button", { name: "Create invitation" }).click();
  await dialog.getByText("Copy the command now").waitFor();
  await recording.show(page, 2);
  const [invitation = ""] = /iti_\w+/.exec((await dialog.textContent()) ?? "") ?? [];
  const token = await call("/api/v1/token", { name: "INVITATION", text: invitation });
  await call("/api/v1/token/rotation", { name: "TOKEN", text: token }, "grace_seconds=3600");
  await page.reload();
  await page.getByRole("table").getByText("Rotated", { exact: true }).first().waitFor();
  await recording.show(page, 2.5);
  await recording.write(file, size);
  await terminal.close();
};

const showLines = async (terminal: Page, lines: readonly string[]): Promise<void> => {
  await terminal.setContent(terminalPage(lines));
  await terminal.evaluate("document.fonts.ready.then(() => undefined)");
};

const terminalPage = (lines: readonly string[]): string => {
  const text = lines.join("\n").replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  const style =
    "margin:0;padding:32px;background:#0f141a;color:#ebebf0;font:15px/1.5 Menlo,monospace;white-space:pre-wrap";
  return `<style>${codeFont}</style><body style="${style}">${text}`;
};
