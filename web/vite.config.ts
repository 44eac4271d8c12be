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

/** For the build and for the development server. */
export default ({ command }: ConfigEnv): UserConfig =>
  command === "serve"
    ? {
        plugins: [react(), withoutFonts],
        // Keeps the modules of web/api apart from the API, which is below /api.
        base: "/assets/",
      }
    : {
        plugins: [withoutFonts],
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
