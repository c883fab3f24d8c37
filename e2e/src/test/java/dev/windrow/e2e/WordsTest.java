package dev.windrow.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The words that the page makes of values, and what it reads of typed ones: the functions of its modules, called in the browser. */
class WordsTest extends PageTest {
    @Override
    void fill() {}

    /** Calls a function of all exports of a module and one value, for each second text. The text after it is the result, or the error. */
    private void words(String module, String function, String... valuesAndWords) {
        List<String> values = new ArrayList<>();
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < valuesAndWords.length; i += 2) {
            values.add(valuesAndWords[i]);
            expected.add(valuesAndWords[i + 1]);
        }
        Object found = page.evaluate("""
                async ([module, values]) => {
                    const all = await import(new URL("../" + module, document.querySelector("script[type=module]").src));
                    return values.map((value) => {
                        try {
                            return String((FUNCTION)(all, value));
                        } catch (e) {
                            return e.message;
                        }
                    });
                }""".replace("FUNCTION", function), List.of(module, values));
        assertThat((List<?>) found).isEqualTo(expected);
    }

    @Test
    void valuesAreInWords() {
        signIn("viewer");
        words(
                "views/schedule/words.js",
                "(m, cron) => m.cronWords(cron)",
                "* * * * *",
                "every minute",
                "*/15 * * * *",
                "every 15 min",
                "*/20 * * * * *",
                "every 20 s",
                "30 2 * * *",
                "at 02:30 each day",
                "0 7 * * 1-5",
                "at 07:00 on Monday to Friday",
                "0 9,17 * * *",
                "at 09:00 and 17:00 each day",
                "0 0 1,15 * *",
                "at 00:00 on days 1 and 15 of each month",
                "@hourly",
                "every hour",
                "5 * * * *",
                "every hour at minute 5",
                "0 */6 * * *",
                "every 6 h",
                "*/10 9-17 * * *",
                "every 10 min from 09:00 to 17:50",
                "0 12 L * *",
                "at 12:00 on the last day of each month",
                "0 8 * * MON#1",
                "at 08:00 on the first Monday of each month",
                "0 8 * JAN,JUL *",
                "at 08:00 each day in January and July",
                "1,2,3,4,5 * * * *",
                "null");
        words(
                "views/schedule/clocks.js",
                "(m, run) => m.clockNotes([run], '30 2 * * *', 'Europe/Berlin')",
                "2027-03-27T01:30:00Z",
                "",
                "2027-03-28T01:00:00Z",
                "02:30 does not exist: clocks go forward. The job runs at 03:00.",
                "2027-10-31T00:30:00Z",
                "02:30 comes twice: clocks go back. The job runs the first time.");
        words(
                "app/format.js",
                "(m, millis) => m.duration(Number(millis))",
                "0",
                "0 ms",
                "999",
                "999 ms",
                "9970",
                "9.9 s",
                "59999",
                "59 s",
                "61000",
                "1 min 1 s",
                "7860000",
                "2 h 11 min",
                "1036800000",
                "12 d");
        words(
                "app/stack.js",
                "(m, handler) => m.marked(`java.lang.Error: no\\n\\tat org.other.B.c(B.java:2)\\n\\tat ${handler}(A.java:1)"
                        + "\\n\\tat dev.windrow.engine.worker.Execution.run(Execution.java:3)`)"
                        + ".map(([kind]) => kind).join(' ')",
                "shop.mail.Sender.send",
                "own far own far",
                "Sender.send",
                "own far own far");
        words(
                "app/format.js",
                "(m, passed) => m.ago(1e12 - Number(passed), 1e12)",
                "400",
                "1 s ago",
                "9970",
                "9 s ago",
                "61500",
                "1 min ago",
                "-5500",
                "in 5 s",
                "-61000",
                "in 1 min 1 s");
        words(
                "app/format.js",
                "(m, length) => m.bytes(Number(length))",
                "1",
                "1 byte",
                "65536",
                "64 KiB",
                "10485750",
                "9.9 MiB",
                "10485760",
                "10 MiB");
    }

    @Test
    void typedFiltersAndTimesAreRead() {
        signIn("viewer");
        words(
                "views/jobs/filter.js",
                "(m, text) => JSON.stringify(m.parseParts(text))",
                "queue:mail state:Failed",
                "[[\"queue\",\"mail\"],[\"state\",\"FAILED\"]]",
                "name:two words tag:vip",
                "[[\"name\",\"two words\"],[\"tag\",\"vip\"]]",
                "payload.$.a=1",
                "[[\"payload\",\"$.a=1\"]]",
                "priority:-5 workflow:17",
                "[[\"priority\",\"-5\"],[\"workflow\",\"17\"]]",
                "queue:",
                "queue needs a value.",
                "state:done",
                "\"done\" is not a state: blocked, scheduled, pending, running, completed, failed, cancelled.",
                "payload:$.a=1",
                "Write payload.PATH=VALUE.",
                "workflow:x",
                "\"x\" is not a number.",
                "nothing",
                "\"nothing\" is not a filter. Choose one from the list, or write for example queue:mail.");
        words(
                "views/jobs/filter.js",
                "(m, text) => m.parseTime(text, Date.UTC(2026, 10, 26, 12))",
                "90m",
                "2026-11-26T10:30:00.000Z",
                "18:30",
                "2026-11-26T18:30:00.000Z",
                "yesterday",
                "2026-11-25T00:00:00.000Z",
                "2026-11-24",
                "2026-11-24T00:00:00.000Z",
                "2026-11-24 18:30",
                "2026-11-24T18:30:00.000Z",
                "2026-11-24T18:30+01:00",
                "2026-11-24T17:30:00.000Z",
                "25:00",
                "\"25:00\" is not a time. Write 18:30, 2026-11-24, 2026-11-24T18:30 or 1h (an hour ago).");
    }
}
