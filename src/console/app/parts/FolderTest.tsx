import { useEffect, useRef } from 'preact/hooks';
import type { SettingFinding } from '../../../control/protocol/settings.ts';
import type { Request, Response } from '../../../control/protocol/protocol.ts';
import { number } from '../format.ts';
import type { EditedObject } from '../settings/edits.ts';
import type { FindingFact } from '../../../texts/en/findings.ts';
import { findingWords } from '../../../texts/explain.ts';
import { t } from '../texts.ts';
import { useCall } from './hooks.ts';
import { Failure, Notice, type Tone } from './Notice.tsx';
import { Section } from './Page.tsx';
import { Table } from './Table.tsx';
import { Button } from './Button.tsx';
import { Details } from './Explanations.tsx';
import { Words } from './Words.tsx';
import { told } from '../explanations.ts';

interface FolderTestProps {
  readonly path: string;
  /** Settings of an unsaved folder; left out to test those in effect. */
  readonly settings?: EditedObject;
  readonly onClose: () => void;
}

const TONES: Readonly<Record<SettingFinding['level'], Tone>> = { ok: 'ok', warn: 'warn', fail: 'bad' };

/** Results of the daemon's test, and the names that files would get. */
export function FolderTest({ path, settings, onClose }: FolderTestProps) {
  const request = { path, settings } as Request<'testFolder'>;
  const { data, error, again } = useCall('testFolder', request);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (data !== null) box.current?.scrollIntoView({ block: 'nearest' });
  }, [data]);
  return (
    <div ref={box} class="folder-test">
      <Section
        title={t.folderTest.title(data?.path ?? path)}
        id="folder-test"
        actions={
          <>
            <Button onClick={again}>{t.again}</Button>
            <Button onClick={onClose}>{t.close}</Button>
          </>
        }
      >
        <div aria-live="polite">
          <Failure error={error} />
          {data === null && error === null && <p class="muted">{t.folderTest.running}</p>}
          {data !== null && <Tested result={data} />}
        </div>
      </Section>
    </div>
  );
}

export function Tested({ result }: { readonly result: Response<'testFolder'> }) {
  const { findings, fileSystem, mode, files, samples } = result;
  const facts = [
    fileSystem === null ? null : t.folderTest.fileSystem(fileSystem),
    mode === null ? null : t.folderTest.mode[mode],
    files === null ? null : t.folderTest.files(number(files)),
  ].filter((fact) => fact !== null);
  return (
    <>
      {findings.map((finding) => (
        <Notice key={finding.message} tone={TONES[finding.level]}>
          <p>
            <strong>{t.folderTest.levels[finding.level]}</strong>{' '}
            <Words text={findingWords(t, finding as unknown as { fact: FindingFact })} />
          </p>
        </Notice>
      ))}
      {facts.length > 0 && <p class="muted">{facts.join(' · ')}</p>}
      {samples.length > 0 && (
        <Table
          caption={t.folderTest.samples}
          rows={samples}
          rowKey={({ file }) => file}
          columns={[
            { head: t.folderTest.file, class: 'mono', cell: ({ file }) => file },
            {
              head: t.folderTest.name,
              class: 'mono',
              cell: ({ name, would, why, fact }) =>
                name ?? (
                  <>
                    <span class="muted">{t.folderTest.would[would]}</span>
                    {why !== null && <Details text={told({ message: why, fact })} />}
                  </>
                ),
            },
          ]}
        />
      )}
    </>
  );
}
