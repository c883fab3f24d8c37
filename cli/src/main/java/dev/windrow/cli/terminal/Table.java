package dev.windrow.cli.terminal;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Rows under aligned headings. A column is as wide as its widest cell. If the terminal is narrower, the last column
 * is cut.
 */
public final class Table {
    private static final String GAP = "  ";
    private static final int LEAST = 8;

    private final String[] headings;
    private final boolean[] right;
    private final List<Object[]> rows = new ArrayList<>();

    /**
     * A cell in colour.
     *
     * @param text its text
     * @param ink adds the colour after the alignment
     */
    public record Inked(String text, UnaryOperator<String> ink) {
        @Override
        public String toString() {
            return text;
        }
    }

    /** Creates a table. A heading that ends in {@code >} aligns its column to the right. */
    public Table(String... headings) {
        this.headings = new String[headings.length];
        this.right = new boolean[headings.length];
        for (int i = 0; i < headings.length; i++) {
            right[i] = headings[i].endsWith(">");
            this.headings[i] = right[i] ? headings[i].substring(0, headings[i].length() - 1) : headings[i];
        }
    }

    public void row(Object... cells) {
        rows.add(cells);
    }

    public boolean isEmpty() {
        return rows.isEmpty();
    }

    public void print(PrintStream out, int width, Ink ink) {
        int[] widths = widths(width);
        out.println(ink.dim(line(headings, widths)));
        for (Object[] row : rows) {
            out.println(line(row, widths));
        }
    }

    private int[] widths(int available) {
        int[] widths = new int[headings.length];
        long sum = -GAP.length();
        for (int i = 0; i < widths.length; i++) {
            widths[i] = length(headings[i]);
            for (Object[] row : rows) {
                widths[i] = Math.max(widths[i], length(TerminalText.oneLine(row[i].toString())));
            }
            sum += widths[i] + GAP.length();
        }
        int last = widths.length - 1;
        if (sum > available) {
            widths[last] = (int) Math.max(LEAST, widths[last] - (sum - available));
        }
        return widths;
    }

    private String line(Object[] cells, int[] widths) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < cells.length; i++) {
            String text = TerminalText.clip(TerminalText.oneLine(cells[i].toString()), widths[i]);
            boolean last = i == cells.length - 1;
            String padded = right[i]
                    ? TerminalText.padLeft(text, widths[i])
                    : last ? text : TerminalText.padRight(text, widths[i]);
            line.append(i == 0 ? "" : GAP)
                    .append(cells[i] instanceof Inked inked ? inked.ink().apply(padded) : padded);
        }
        return line.toString().stripTrailing();
    }

    private static int length(String text) {
        return text.codePointCount(0, text.length());
    }
}
