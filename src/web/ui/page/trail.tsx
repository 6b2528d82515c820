import { ChevronRight } from "lucide-preact";
import { Fragment } from "preact";
import { t } from "../../platform/i18n/i18n.ts";

export interface TrailStep {
  readonly text: string;
  /** Absent for a word without a page, such as the type of a device. */
  readonly href?: string;
}

/** Breadcrumbs above the title of a page: the pages that contain it, each with a link. */
export const Trail = ({ steps }: { steps: readonly TrailStep[] }) => (
  <nav aria-label={t("nav.trail")} class="flex min-w-0 flex-wrap items-center gap-1 text-sm text-soft">
    {steps.map(({ text, href }, index) => (
      <Fragment key={text}>
        {index > 0 && <ChevronRight size={14} class="flex-none" aria-hidden="true" />}
        {href === undefined ? (
          <span class="truncate">{text}</span>
        ) : (
          <a href={href} class="link link-hover truncate">
            {text}
          </a>
        )}
      </Fragment>
    ))}
  </nav>
);
