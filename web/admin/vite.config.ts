import { createHash } from "node:crypto";
import react from "@vitejs/plugin-react";
import type { ConfigEnv, Plugin, UserConfig } from "vite";

/** Replaces Open Sans in Cloudscape's style sheet with the system font. Open Sans takes 138 KB that can't be compressed. */
const withoutFonts: Plugin = {
  name: "without-fonts",
  enforce: "pre",
  transform: {
    filter: { id: /global-styles\/index\.css$/ },
    handler: (code) => code.replaceAll(/@font-face\s*\{[^}]*\}/g, ""),
  },
};

/** Placeholder for Cloudscape's strings until the build knows which components the pages contain. */
const usedTexts = "__USED_TEXTS__";

/** Removes the strings of components that the pages don't contain: 7 KB compressed. */
const withoutUnusedTexts = (): Plugin => {
  let texts: [component: string, texts: unknown][] = [];
  return {
    name: "without-unused-texts",
    transform: {
      filter: { id: /i18n\/messages\/all\.en\.js$/ },
      handler(code) {
        const messages: Messages = JSON.parse(code.replace(/^export default /, "").replace(/;?\s*$/, ""));
        texts = Object.entries(messages["cloudscape-design-components"].en);
        return { code: `export default ${usedTexts}`, map: null };
      },
    },
    renderChunk(code, { moduleIds }) {
      const used = new Set(moduleIds.map((id) => /\/@cloudscape-design\/components\/([\w-]+)\//.exec(id)?.[1]));
      const en = Object.fromEntries(texts.filter(([component]) => used.has(component)));
      return code.replace(usedTexts, () => JSON.stringify({ "cloudscape-design-components": { en } }));
    },
  };
};

interface Messages {
  "cloudscape-design-components": { en: Record<string, unknown> };
}

/**
 * Removes values that nothing in the bundle refers to: Cloudscape's theme defines the values of all components, 14 KB compressed.
 * The style sheet is renamed, because its name contains a hash of its content.
 */
const withoutUnusedValues: Plugin = {
  name: "without-unused-values",
  enforce: "post",
  generateBundle(_, files) {
    const [sheet, ...others] = Object.values(files).filter(({ fileName }) => fileName.endsWith(".css"));
    if (sheet?.type !== "asset" || others.length > 0) this.error("The build has not made exactly one style sheet.");
    const scripts = Object.values(files).flatMap((file) => (file.type === "chunk" ? file.code : []));
    const source = onlyUsedValues(String(sheet.source), scripts.join());
    const hash = createHash("sha256").update(source).digest("base64url").slice(0, 8);
    const fileName = sheet.fileName.replace(/-[\w-]{8}\.css$/, `-${hash}.css`);
    for (const file of Object.values(files)) {
      if (file.type === "asset" && file.fileName.endsWith(".html")) {
        file.source = String(file.source).replaceAll(sheet.fileName, fileName);
      }
    }
    delete files[sheet.fileName];
    this.emitFile({ type: "asset", fileName, source });
  },
};

/** Removes unused values, and repeats this until none is left, because removing one value may make another unused. */
const onlyUsedValues = (sheet: string, script: string): string => {
  const inScript = new Set(script.match(/--[\w-]+/g));
  const inSheet = new Set(sheet.match(/(?<=var\(\s*)--[\w-]+/g));
  const isUsed = (name: string) => inScript.has(name) || inSheet.has(name);
  const rest = sheet.replaceAll(/(?<=[{;])(--[\w-]+):[^;{}]*;?/g, (value, name) => (isUsed(name) ? value : ""));
  return rest === sheet ? sheet : onlyUsedValues(rest, script);
};

/** Configures the build and the development server. */
export default ({ command }: ConfigEnv): UserConfig =>
  command === "serve"
    ? {
        plugins: [react(), withoutFonts],
        // Separates the modules of web/admin/api from the API, which is below /api.
        base: "/assets/",
      }
    : {
        plugins: [withoutFonts, withoutUnusedTexts(), withoutUnusedValues],
        // Leaves out the text parser, 8 KB compressed: Cloudscape's strings are already parsed.
        resolve: {
          alias: { "@formatjs/icu-messageformat-parser": "@formatjs/icu-messageformat-parser/lib/no-parser.js" },
        },
        // Produces the same bytes on every machine, whatever NODE_ENV is.
        define: { "process.env.NODE_ENV": '"production"' },
        oxc: { jsx: { runtime: "automatic", development: false } },
        build: {
          target: ["chrome123", "firefox120", "safari17.5"],
          modulePreload: false,
          // The pages' Content-Security-Policy blocks data URLs.
          assetsInlineLimit: 0,
          license: { fileName: "assets/licenses.md" },
          reportCompressedSize: false,
          // Cloudscape marks its modules for frameworks that render on a server.
          rolldownOptions: { checks: { moduleLevelDirective: false } },
          chunkSizeWarningLimit: Number.POSITIVE_INFINITY,
        },
      };
