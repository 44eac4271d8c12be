import { api } from "../lambdas/api.ts";
import { serviceApp } from "./service-app.ts";
import { OptionError } from "./stages/option-error.ts";

try {
  await serviceApp(api);
} catch (error) {
  if (!(error instanceof OptionError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
