import type { PageType } from '../../core/domain/pages.ts';
import type { PageImage, Unreadable } from '../../core/ports/pages.ts';
import type { SharpModule } from './encode.ts';

export type Drawn = Omit<PageImage, 'appearance'>;

/** A file whose pages can be drawn. */
export interface Opened {
  readonly kind: 'opened';
  readonly pages: number;
  /** Files inside that are no pages, such as the XML of an e-invoice. */
  readonly attachments?: number;
  page(
    sharp: SharpModule,
    number: number,
    into: readonly PageType[],
    resolution: number,
  ): Promise<Drawn | Unreadable>;
}
