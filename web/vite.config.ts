import { createHash } from "node:crypto";
import react from "@vitejs/plugin-react";
import type { ConfigEnv, Plugin, UserConfig } from "vite";

/** Cloudscape's style sheet contains Open Sans: 138 KB that do not compress. The system's font replaces it. */
const withoutFonts: Plugin = {
  name: "without-fonts",
  enforce: "pre",
  transform: {
    filter: { id: /global-styles\/index\.css$/ },
    handler: (code) => code.replaceAll(/@font-face\s*\{[^}]*\}/g, ""),
  },
};

/** Stands for Cloudscape's texts until it is known which components the pages contain. */
const usedTexts = "__USED_TEXTS__";

/** Leaves out the texts of the components that the pages do not contain: 7 KB compressed. */
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
 * Leaves out the values that nothing in the bundle refers to: Cloudscape's theme defines those of all components, 14 KB
 * compressed. The style sheet gets another name, because its name contains a hash of its content.
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

/** A value that is left out may have been the only one that referred to another. */
const onlyUsedValues = (sheet: string, script: string): string => {
  const inScript = new Set(script.match(/--[\w-]+/g));
  const inSheet = new Set(sheet.match(/(?<=var\(\s*)--[\w-]+/g));
  const isUsed = (name: string) => inScript.has(name) || inSheet.has(name);
  const rest = sheet.replaceAll(/(?<=[{;])(--[\w-]+):[^;{}]*;?/g, (value, name) => (isUsed(name) ? value : ""));
  return rest === sheet ? sheet : onlyUsedValues(rest, script);
};

/** Cloudscape's texts are parsed already, so the parser, 8 KB compressed, has nothing to do. FormatJS offers a module without it. */
const withoutTextParser: Plugin = {
  name: "without-text-parser",
  enforce: "pre",
  resolveId: {
    filter: { id: /^@formatjs\/icu-messageformat-parser$/ },
    handler(name, importer) {
      return this.resolve(`${name}/lib/no-parser.js`, importer);
    },
  },
};

/** For the build and for the development server. */
export default ({ command }: ConfigEnv): UserConfig =>
  command === "serve"
    ? {
        plugins: [react(), withoutFonts],
        // Keeps the modules of web/api apart from the API, which is below /api.
        base: "/assets/",
      }
    : {
        plugins: [withoutFonts, withoutUnusedTexts(), withoutUnusedValues, withoutTextParser],
        // The same bytes on every machine, whatever NODE_ENV is.
        define: { "process.env.NODE_ENV": '"production"' },
        oxc: { jsx: { runtime: "automatic", development: false } },
        build: {
          target: ["chrome123", "firefox120", "safari17.5"],
          modulePreload: { polyfill: false },
          // The pages' Content-Security-Policy does not allow data URLs.
          assetsInlineLimit: 0,
          license: { fileName: "assets/licenses.md" },
          reportCompressedSize: false,
          // Cloudscape marks its modules for frameworks that render on a server.
          rolldownOptions: { checks: { moduleLevelDirective: false } },
          chunkSizeWarningLimit: Number.POSITIVE_INFINITY,
        },
      };
