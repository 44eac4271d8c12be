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

/** The components with the most texts of those that no page uses: two thirds of all texts, 5 KB compressed. */
const unusedComponents = [
  "app-layout",
  "code-editor",
  "collection-preferences",
  "date-range-picker",
  "property-filter",
  "s3-resource-selector",
  "tag-editor",
  "tutorial-panel",
];

/** Leaves out the texts of unused components. The build fails if a page uses one of them. */
const withoutUnusedTexts: Plugin = {
  name: "without-unused-texts",
  transform: {
    filter: { id: /i18n\/messages\/all\.en\.js$/ },
    handler(code) {
      const messages: Messages = JSON.parse(code.replace(/^export default /, "").replace(/;?\s*$/, ""));
      const texts = messages["cloudscape-design-components"].en;
      for (const component of unusedComponents) {
        if (!texts[component]) this.error(`Cloudscape has no texts for ${component}: change vite.config.ts.`);
        delete texts[component];
      }
      return { code: `export default ${JSON.stringify(messages)}`, map: null };
    },
  },
  generateBundle(_, files) {
    for (const file of Object.values(files)) {
      for (const id of file.type === "chunk" ? file.moduleIds : []) {
        const component = /\/@cloudscape-design\/components\/([\w-]+)\//.exec(id)?.[1];
        if (component && unusedComponents.includes(component)) {
          this.error(`The pages use Cloudscape's ${component}, whose texts vite.config.ts leaves out.`);
        }
      }
    }
  },
};

interface Messages {
  "cloudscape-design-components": { en: Record<string, unknown> };
}

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
        plugins: [withoutFonts, withoutUnusedTexts, withoutTextParser],
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
