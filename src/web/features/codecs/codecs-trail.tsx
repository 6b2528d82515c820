import { t } from "../../platform/i18n/i18n.ts";
import { Trail } from "../../ui/page/trail.tsx";

/** Trail of the pages below the list of codecs. */
export const CodecsTrail = () => (
  <Trail
    steps={[
      { href: "/integrations", text: t("nav.integrations") },
      { href: "/integrations/codecs", text: t("nav.codecs") },
    ]}
  />
);
