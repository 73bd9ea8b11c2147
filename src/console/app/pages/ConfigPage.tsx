import { useCall } from '../parts/hooks.ts';
import { ConfigProblems, LastChange } from '../parts/LastChange.tsx';
import { Answer } from '../parts/Notice.tsx';
import { Page } from '../parts/Page.tsx';
import { href, useRoute } from '../router.ts';
import { t } from '../texts.ts';
import { ConfigFile } from './ConfigFile.tsx';
import { SettingsSectionPage, type SectionName } from './SettingsSectionPage.tsx';

const SECTIONS = Object.keys(t.settings.sections) as SectionName[];

/** All settings pages except folders and endpoints, which are opened more often. */
export function ConfigPage() {
  const [, name] = useRoute().path;
  if (name === undefined) return <Settings />;
  if (name === 'file') return <ConfigFile />;
  const section = SECTIONS.find((each) => each === name);
  if (section !== undefined) return <SettingsSectionPage key={name} name={section} />;
  return (
    <Page title={t.unknownPage.title} back={{ href: href(['config']), text: t.settings.title }}>
      <p>{t.unknownPage.text}</p>
    </Page>
  );
}

/** Settings with pages elsewhere, by the path of that page. Listed first, because they are used most. */
const ELSEWHERE = { folders: ['folders'], endpoints: ['endpoints'], sending: ['delivery'] } as const;

function Settings() {
  const config = useCall('config', {});
  const cards = [
    ...Object.entries(ELSEWHERE).map(([name, path]) => ({
      ...t.settings.elsewhere[name as keyof typeof ELSEWHERE],
      href: href(path),
    })),
    ...SECTIONS.map((name) => ({ ...t.settings.sections[name], href: href(['config', name]) })),
    { ...t.settings.file, href: href(['config', 'file']) },
  ];
  return (
    <Page title={t.settings.title}>
      <Answer asked={config}>
        {(data) => (
          <>
            <ConfigProblems config={data} />
            <LastChange config={data} onUndone={config.take} />
          </>
        )}
      </Answer>
      <ul class="cards">
        {cards.map(({ title, means, href: to }) => (
          <li key={to}>
            <a href={to}>{title}</a>
            <p class="muted">{means}</p>
          </li>
        ))}
      </ul>
    </Page>
  );
}
