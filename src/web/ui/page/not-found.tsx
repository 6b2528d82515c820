import { Compass } from "lucide-preact";
import { t } from "../../platform/i18n/i18n.ts";
import { Empty } from "./empty.tsx";
import { PageHead } from "./page-head.tsx";

export function NotFoundScreen() {
  return (
    <div class="mx-auto max-w-2xl p-4 lg:p-8">
      <PageHead title={t("notFound.title")} />
      <div class="panel mt-6">
        <Empty icon={Compass} title={t("notFound.what")} hint={t("notFound.hint")}>
          <div class="flex flex-wrap justify-center gap-2">
            <a href="/" class="btn btn-primary">
              {t("nav.overview")}
            </a>
            <a href="/devices" class="btn">
              {t("nav.devices")}
            </a>
          </div>
        </Empty>
      </div>
    </div>
  );
}
