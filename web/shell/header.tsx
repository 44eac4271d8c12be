import ButtonDropdown from "@cloudscape-design/components/button-dropdown";
import { contentId } from "../parts/focus.ts";
import { useRoom } from "../parts/use-room.ts";
import { isAdmin, isSuperuser } from "../session/session.ts";
import { useApp } from "./app-context.ts";
import { type ColourScheme, colourSchemes, useColourScheme } from "./colour-scheme.ts";
import { addresses, follow, useAddress } from "./routing.ts";

const pages = [
  { title: "API settings", address: addresses.tokens },
  { title: "API key management", address: addresses.keys },
];

/** The bar on top of every page: where one can go, and who is signed in. */
export const PageHeader = () => {
  const { session } = useApp();
  return (
    <header className="bar">
      <a className="skip-link" href={`#${contentId}`}>
        Skip to the content
      </a>
      <a className="brand" href={addresses.tokens} onClick={followUnlessModified(addresses.tokens)}>
        <BrandMark />
        Integration API
      </a>
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

const BrandMark = () => (
  <svg viewBox="0 0 16 16" width="24" height="24" aria-hidden="true">
    <rect width="16" height="16" rx="3" fill="#1f5fbf" />
    <path d="M6 4 3 8l3 4M10 4l3 4-3 4" fill="none" stroke="#fff" strokeWidth="1.6" strokeLinecap="round" />
  </svg>
);

const PageLinks = () => {
  const { pathname } = useAddress();
  return (
    <nav className="page-links" aria-label="Pages">
      {pages.map(({ title, address }) => (
        <a
          key={address}
          className="bar-link"
          href={address}
          onClick={followUnlessModified(address)}
          {...(pathname === address && { "aria-current": "page" })}
        >
          {title}
        </a>
      ))}
    </nav>
  );
};

const schemeNames: Record<ColourScheme, string> = { system: "As the system has it", light: "Light", dark: "Dark" };

const UserMenu = () => {
  const { session, signOut } = useApp();
  const [scheme, chooseScheme] = useColourScheme();
  const room = useRoom();
  return (
    <ButtonDropdown
      {...(room !== "desk"
        ? { variant: "icon", iconName: "user-profile" }
        : { variant: "normal", children: session.username })}
      ariaLabel={`Account of ${session.username}`}
      items={[
        {
          text: "Colours",
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

/** A click that opens a new tab or window is the browser's own affair. */
const followUnlessModified = (address: string) => (event: React.MouseEvent) => {
  if (event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey) {
    follow(address)(event);
  }
};
