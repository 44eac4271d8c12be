import { Fragment } from "react";
import { documentationPath } from "../../../lambdas/addresses.ts";
import type { ErrorExplanation } from "../description.ts";
import { Heading, OnThisPage } from "../parts/headings.tsx";
import { Html } from "../parts/html.tsx";
import { statusText } from "../parts/http.tsx";
import { Samples } from "../parts/samples.tsx";
import type { ChapterPage, Section } from "../site.ts";
import { CheckToken } from "./check-token.tsx";

interface ChapterViewProps {
  chapter: ChapterPage;
  errors: Record<string, ErrorExplanation>;
}

export const ChapterView = ({ chapter: { id, path, title, sections }, errors }: ChapterViewProps) => {
  const listsErrors = id === "errors";
  const headings = [...sections, ...(listsErrors ? [{ id: "all", title: "All errors" }] : [])];
  return (
    <div className="chapter">
      <h1 tabIndex={-1}>{title}</h1>
      <OnThisPage headings={headings.filter((heading) => heading.id)} />
      {sections.map((section, index) => (
        <Fragment key={section.id}>
          <SectionView section={section} />
          {index === 0 && path === documentationPath && <CheckToken />}
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
      <div key={html} className="part">
        <Html className="markdown prose" html={html} />
        <Samples samples={samples} />
      </div>
    ))}
  </section>
);

type ErrorListProps = Pick<ChapterViewProps, "errors">;

const ErrorList = ({ errors }: ErrorListProps) => (
  <section className="prose">
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
