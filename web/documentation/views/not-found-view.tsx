import { documentationPath } from "../../../lambdas/addresses.ts";

/** For an unknown address below that of the documentation. */
export const NotFoundView = () => (
  <div className="prose">
    <h1>There is no page at this address</h1>
    <p>
      It may be misspelled, or the page may have another name now. Search for it, choose it from the list of pages, or
      begin with the <a href={documentationPath}>first call</a>.
    </p>
  </div>
);
