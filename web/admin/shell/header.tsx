import { ButtonDropdown } from "@cloudscape-design/components";
import { Link, useLocation } from "wouter";
import { addresses, recordStoresIn } from "../../../lambdas/shared/addresses.ts";
import { type ColourScheme, colourSchemes } from "../../documentation/shell/colour-scheme.ts";
import { titleOf } from "../pages/records/records-page.tsx";
import { useApp } from "../parts/app-context.tsx";
import { BrandMark } from "../parts/brand-mark.tsx";
import { useBreakpoint } from "../parts/browser.ts";
import { contentId } from "../parts/focus.ts";
import { serviceTitle } from "../parts/page.tsx";
import { isAdmin, isSuperuser } from "../session/session.ts";
import { useColourScheme } from "./colour-scheme.ts";

/** Returns the service's pages with their titles, in navigation order. */
const titledPages = ({ pages }: ReturnType<typeof useApp>["settings"]) =>
  [
    { title: "API settings", address: addresses.tokens },
    { title: "API key management", address: addresses.keys },
    ...recordStoresIn(pages).map((store) => ({ title: titleOf(store), address: addresses.recordsIn(store) })),
    { title: "History", address: addresses.history },
  ].filter(({ address }) => pages.includes(address));

/** The bar at the top of every page, with links to the pages and the user menu. */
export const PageHeader = () => {
  const { session } = useApp();
  return (
    <header className="bar">
      <a className="skip-link" href={`#${contentId}`}>
        Skip to the content
      </a>
      <Link className="brand" href={addresses.tokens}>
        <BrandMark size={24} />
        <span>{serviceTitle}</span>
      </Link>
      {isAdmin(session) && <PageLinks />}
      <div className="bar-end">
        {isSuperuser(session) && (
          <a className="bar-link" href={addresses.documentation}>
            Documentation
          </a>
        )}
        <UserMenu />
      </div>
    </header>
  );
};

const PageLinks = () => {
  const [pathname] = useLocation();
  const { settings } = useApp();
  return (
    <nav className="page-links" aria-label="Pages">
      {titledPages(settings).map(({ title, address }) => (
        <Link
          key={address}
          className="bar-link"
          href={address}
          {...(pathname === address && { "aria-current": "page" })}
        >
          {title}
        </Link>
      ))}
    </nav>
  );
};

const schemeNames: Record<ColourScheme, string> = { system: "System", light: "Light", dark: "Dark" };

const UserMenu = () => {
  const { session, signOut } = useApp();
  const [scheme, chooseScheme] = useColourScheme();
  const breakpoint = useBreakpoint();
  return (
    <ButtonDropdown
      {...(breakpoint === "desktop"
        ? { variant: "normal", children: session.username }
        : { variant: "icon", iconName: "user-profile" })}
      ariaLabel={`Account of ${session.username}`}
      expandToViewport
      items={[
        {
          text: "Appearance",
          items: colourSchemes.map((id) => ({
            id,
            itemType: "checkbox",
            text: schemeNames[id],
            checked: id === scheme,
          })),
        },
        { text: session.username, items: [{ id: "sign-out", text: "Sign out" }] },
      ]}
      onItemClick={({ detail }) => {
        const chosen = colourSchemes.find((id) => id === detail.id);
        if (chosen) chooseScheme(chosen);
        else signOut();
      }}
    />
  );
};
