import { Fragment } from "react";
import { documentationPath, tokenPaths } from "../../../lambdas/shared/addresses.ts";
import { useOnce } from "../../admin/parts/use-once.ts";
import type { ErrorExplanation } from "../description.ts";
import { Heading, Html, OnThisPage, statusText } from "../parts/html.tsx";
import { CredentialField, useReader } from "../parts/reader.tsx";
import { Samples } from "../parts/samples.tsx";
import type { Call } from "../samples/call.ts";
import { membersIn, type ShownResponse, send } from "../samples/send.ts";
import type { ChapterPage, Section } from "../site.ts";
import { NoResponse, Result } from "./outcome-view.tsx";

interface ChapterViewProps {
  chapter: ChapterPage;
  errors: Record<string, ErrorExplanation>;
}

export const ChapterView = ({ chapter: { id, path, title, sections }, errors }: ChapterViewProps) => {
  const listsErrors = id === "errors";
  const isFirst = path === documentationPath;
  const headings = [
    ...(isFirst ? [{ id: "try-it", title: "Try it here" }] : []),
    ...sections.filter((section) => section.id),
    ...(listsErrors ? [{ id: "all", title: "All errors" }] : []),
  ];
  return (
    <div className="chapter">
      <h1 tabIndex={-1}>{title}</h1>
      <OnThisPage headings={headings} />
      {sections.map((section, index) => (
        <Fragment key={section.id}>
          <SectionView section={section} />
          {index === 0 && isFirst && <CheckToken />}
        </Fragment>
      ))}
      {listsErrors && <ErrorList errors={errors} />}
    </div>
  );
};

const SectionView = ({ section: { id, title, parts } }: { section: Section }) => (
  <section>
    {id && <Heading id={id} title={title} />}
    {parts.map(({ html, samples }) => (
      <Fragment key={html}>
        <Html html={html} />
        <Samples samples={samples} />
      </Fragment>
    ))}
  </section>
);

type ErrorListProps = Pick<ChapterViewProps, "errors">;

const ErrorList = ({ errors }: ErrorListProps) => (
  <section>
    <Heading id="all" title="All errors" />
    {Object.entries(errors).map(([code, { status, when, solve }]) => (
      <section key={code} className="error" id={code}>
        <h3 className="row">
          <a href={`#${code}`}>
            <code>{code}</code>
          </a>
          <span className="quiet">{statusText(status)}</span>
        </h3>
        <Html html={when} />
        <Html html={solve} />
      </section>
    ))}
  </section>
);

const call: Pick<Call, "method" | "path" | "headers"> = {
  method: "GET",
  path: tokenPaths.token,
  headers: [["X-Token", { credential: "token" }]],
};

/** Shows the reader's token and the address that the reader's calls come from. */
const CheckToken = () => {
  const reader = useReader();
  const sending = useOnce<void, ShownResponse>(() => send(call, reader), { isRepeatable: true });
  return (
    <section className="try">
      <Heading id="try-it" title="Try it here" />
      <CredentialField credential="token" />
      <button type="button" className="send" disabled={sending.isLocked} onClick={() => sending.run()}>
        Check this token
      </button>
      <div className="outcome" aria-live="polite">
        {sending.failure && <NoResponse />}
        {sending.result && (
          <Result response={sending.result}>
            <Works body={sending.result.body} />
          </Result>
        )}
      </div>
    </section>
  );
};

const Works = ({ body }: Pick<ShownResponse, "body">) => {
  const { seen_ip, expires_at } = membersIn(body);
  return (
    <p>
      This token works. You call from <code>{seen_ip}</code>.{" "}
      {expires_at
        ? `The token expires on ${new Date(expires_at).toLocaleDateString("en-GB", { dateStyle: "long" })}.`
        : "The token does not expire."}
    </p>
  );
};
