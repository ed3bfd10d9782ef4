import { useVirtualizer } from "@tanstack/react-virtual";
import { memo, useEffect, useRef } from "react";

const ROW_PX = 44;
// Chromium limits the height of an element, and thus of a plain spacer.
const HEIGHT_MAX_PX = 33_000_000;
const ROWS_MAX = Math.floor(HEIGHT_MAX_PX / ROW_PX);

const Row = memo(function Row({ index, top, row, columns, template }) {
  return (
    <div
      className="row"
      role="row"
      aria-rowindex={index + 2}
      aria-busy={row ? undefined : true}
      data-key={row?.id}
      tabIndex={-1}
      style={{ transform: `translateY(${top}px)`, gridTemplateColumns: template }}
    >
      {columns.map((column) => (
        <div className="cell" role="gridcell" key={column.title}>
          {row ? column.cell(row) || <span className="missing">—</span> : <span className="bar" />}
        </div>
      ))}
    </div>
  );
});

export function Grid({ feed, columns }) {
  const viewport = useRef(null);
  const virtualizer = useVirtualizer({
    count: Math.min(feed.total, ROWS_MAX),
    getScrollElement: () => viewport.current,
    estimateSize: () => ROW_PX,
    overscan: 6,
  });
  const items = virtualizer.getVirtualItems();
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0];
  useEffect(() => feed.setView(first, last), [feed, first, last]);
  const template = columns.map((column) => column.width).join(" ");
  return (
    <div
      className="grid"
      role="grid"
      aria-label="Submissions"
      aria-rowcount={feed.total + 1}
      tabIndex={0}
      ref={viewport}
    >
      <div className="row head" role="row" aria-rowindex={1} style={{ gridTemplateColumns: template }}>
        {columns.map((column) => (
          <div className="cell" role="columnheader" key={column.title}>
            {column.title}
          </div>
        ))}
      </div>
      <div className="track" role="rowgroup" style={{ height: virtualizer.getTotalSize() }}>
        {items.map(({ index, start }) => (
          <Row key={index} index={index} top={start} row={feed.row(index)} columns={columns} template={template} />
        ))}
      </div>
    </div>
  );
}
