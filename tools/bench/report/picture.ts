import { writeFile } from "node:fs/promises";
import { floorName, oursName } from "../contenders.ts";
import type { Chapter } from "./table.ts";

const file = new URL("../../../docs/performance.svg", import.meta.url);

const width = 860;
const labelWidth = 280;
const barHeight = 20;
const lineHeight = 28;

/** Draws the ratios to the floor as bars: docs/performance.svg. */
export const writePicture = (chapters: readonly Chapter[]): Promise<void> => {
  const groups = chapters.flatMap(({ bars = [] }) => bars);
  const longest = Math.max(...groups.flatMap(({ ratios }) => [...ratios.values()]));
  const scale = (width - labelWidth - 70) / longest;
  let y = 10;
  const parts: string[] = [];
  for (const { title, ratios } of groups) {
    y += 26;
    parts.push(`<text x="10" y="${y}" font-weight="bold">${escaped(title)}</text>`);
    y += 10;
    for (const [name, value] of ratios) {
      parts.push(bar(name, value, { y, length: value * scale }));
      y += lineHeight;
    }
    y += 8;
  }
  const floorX = labelWidth + scale;
  const line = `<line x1="${floorX}" x2="${floorX}" y1="46" y2="${y}"/>`;
  return writeFile(
    file,
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y + 10}" font-family="system-ui, sans-serif" font-size="13">
<title>Time and CPU of each way to do the job, as ratios to a bare handler</title>
${style}
${[...parts, line].join("\n")}
</svg>
`,
  );
};

// Readable on a light page and on a dark one.
const style = `<style>
text { fill: #1f2328 }
line { stroke: #6e7781; stroke-dasharray: 4 4 }
.peer { fill: #afb8c1 } .floor { fill: #6e7781 } .ours { fill: #0969da }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 }
  .peer { fill: #57606a } .floor { fill: #8c959f } .ours { fill: #4493f8 }
}
</style>`;

const bar = (name: string, value: number, { y, length }: { y: number; length: number }): string => {
  const kind = name === oursName ? "ours" : name === floorName ? "floor" : "peer";
  return [
    `<text x="${labelWidth - 10}" y="${y + 15}" text-anchor="end">${escaped(name)}</text>`,
    `<rect x="${labelWidth}" y="${y}" width="${length.toFixed(1)}" height="${barHeight}" class="${kind}"/>`,
    `<text x="${(labelWidth + length + 6).toFixed(1)}" y="${y + 15}">${value.toFixed(2)}</text>`,
  ].join("\n");
};

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
