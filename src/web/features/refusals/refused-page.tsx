import { ArrowLeft } from "lucide-preact";
import { t } from "../../platform/i18n/i18n.ts";
import { RefusedSection } from "./refused-section.tsx";

/** Credentials of the reader's own site that were refused. */
export const RefusedPage = () => (
  <div class="flex flex-col gap-4">
    <a href="/settings/audit" class="inline-flex items-center gap-2 self-start text-sm hover:underline">
      <ArrowLeft size={16} aria-hidden="true" />
      {t("page.audit")}
    </a>
    <RefusedSection scope="site" />
  </div>
);
