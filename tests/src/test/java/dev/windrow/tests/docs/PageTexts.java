package dev.windrow.tests.docs;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The texts in a script of the dashboard's page: its strings, and the texts and labels of its templates. A value in a template is the word X. The scan
 * is simple: it knows strings, templates, comments and regular expressions, and no other syntax.
 */
final class PageTexts {
    /** The places after which a slash begins a regular expression. */
    private static final String BEFORE_PATTERN = "(,=:[!&|?{};";

    private static final Pattern LABEL =
            Pattern.compile("\\b(?:title|aria-label|label|placeholder|hint|caption)=\"([^\"]*)\"");
    private static final Pattern TAG = Pattern.compile("<[^<>]*>");

    private final String script;
    private final List<String> found = new ArrayList<>();
    private int at;

    private PageTexts(String script) {
        this.script = script;
    }

    /** Returns the texts of a script, in the order of their ends. */
    static List<String> of(String script) {
        PageTexts texts = new PageTexts(script);
        texts.code(false);
        return texts.found;
    }

    /** Returns the texts and the labels of markup. */
    static List<String> ofMarkup(String markup) {
        List<String> texts = new ArrayList<>();
        LABEL.matcher(markup).results().forEach(label -> texts.add(label.group(1)));
        for (String text : TAG.matcher(markup).replaceAll("\n\n").split("\n\\s*\n")) {
            if (!text.isBlank()) {
                texts.add(text.strip().replaceAll("\\s+", " "));
            }
        }
        return texts;
    }

    /** Reads code to its end; inside of a template to the brace that closes it. */
    private void code(boolean inTemplate) {
        int braces = 0;
        char last = '(';
        while (at < script.length()) {
            char c = script.charAt(at++);
            if (c == '/' && next() == '/') {
                at = end("\n");
            } else if (c == '/' && next() == '*') {
                at = end("*/");
            } else if (c == '/' && BEFORE_PATTERN.indexOf(last) >= 0) {
                pattern();
                last = '/';
            } else if (c == '"' || c == '\'') {
                found.add(quoted(c));
                last = c;
            } else if (c == '`') {
                template();
                last = c;
            } else if (c == '{') {
                braces++;
                last = c;
            } else if (c == '}' && inTemplate && braces-- == 0) {
                return;
            } else if (!Character.isWhitespace(c)) {
                last = c;
            }
        }
    }

    private char next() {
        return at < script.length() ? script.charAt(at) : '\0';
    }

    private int end(String mark) {
        int end = script.indexOf(mark, at);
        return end < 0 ? script.length() : end + mark.length();
    }

    private void pattern() {
        boolean inClass = false;
        for (char c = script.charAt(at++); c != '/' || inClass; c = script.charAt(at++)) {
            inClass = c == '[' || (inClass && c != ']');
            at += c == '\\' ? 1 : 0;
        }
    }

    private String quoted(char quote) {
        StringBuilder text = new StringBuilder();
        for (char c = script.charAt(at++); c != quote; c = script.charAt(at++)) {
            text.append(c == '\\' ? script.charAt(at++) : c);
        }
        return text.toString();
    }

    private void template() {
        StringBuilder text = new StringBuilder();
        for (char c = script.charAt(at++); c != '`'; c = script.charAt(at++)) {
            if (c == '$' && next() == '{') {
                at++;
                code(true);
                text.append('X');
            } else {
                text.append(c == '\\' ? script.charAt(at++) : c);
            }
        }
        found.addAll(ofMarkup(text.toString()));
    }
}
