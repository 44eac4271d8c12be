import { LocalError } from "cdk-local-runner";

/** The names of an application: `service` for AWS, `title` for people. */
export interface ApplicationNames {
  package: string;
  service: string;
  title: string;
}

/** Names of packages that an application installs. npm does not install a package in another package with the same name. */
const taken = ["integration-api", "cdk-local-runner", "aws-cdk-lib", "constructs", "zod", "typescript", "vitest"];

/**
 * Derives the names of an application from the name of its folder: `my-orders` becomes `MyOrders` and `My Orders API`.
 *
 * @throws {LocalError} if no valid names follow from it.
 */
export const namesFor = (folderName: string): ApplicationNames => {
  const words = folderName.split(/[^A-Za-z0-9]+/).filter(Boolean);
  const capitalised = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  const [name, service] = [words.join("-").toLowerCase(), capitalised.join("")];
  if (!/^[A-Z][A-Za-z0-9]{1,29}$/.test(service)) {
    throw new LocalError(
      `The service is named after its folder, and "${folderName}" cannot be its name. Choose a folder name with 2 to 30 letters, digits and hyphens that begins with a letter, for example my-orders.`,
    );
  }
  if (taken.includes(name)) {
    throw new LocalError(`The application needs a package named ${name}, so its folder needs another name.`);
  }
  const title = capitalised.join(" ");
  return { package: name, service, title: /\bapi$/i.test(title) ? title : `${title} API` };
};
