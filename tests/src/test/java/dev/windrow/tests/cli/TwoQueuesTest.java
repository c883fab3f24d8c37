package dev.windrow.tests.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.windrow.tests.Once;
import dev.windrow.tests.cli.Cli.AtWork;
import dev.windrow.tests.cli.Cli.Result;
import dev.windrow.tests.cli.Cli.Running;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two queues in one file, each with its own prefix of tables. */
@Once
class TwoQueuesTest {
    @TempDir
    Path folder;

    private Cli shop;
    private Cli mail;

    @BeforeEach
    void setUp() {
        Path file = folder.resolve("jobs.db");
        shop = new Cli(folder).with("WINDROW_DB", file.toString()).with("WINDROW_DB_TABLE_PREFIX", "shop_");
        mail = new Cli(folder).with("WINDROW_DB", file.toString()).with("WINDROW_DB_TABLE_PREFIX", "mail_");
    }

    private static List<String> enqueue(Cli cli, String text) {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            ids.add(cli.enqueue("exec", "--", "echo", text));
        }
        return ids;
    }

    /** Waits until all jobs have completed with this output. */
    private static void awaitAll(Cli cli, List<String> ids, String text) {
        await().atMost(Cli.DEADLINE)
                .untilAsserted(() -> assertThat(ids).allSatisfy(id -> {
                    assertThat(cli.json("show", id, "--json")
                                    .at("/result/stdout")
                                    .asString())
                            .isEqualTo(text + "\n");
                }));
    }

    private static void assertSound(Cli cli) {
        Result doctor = cli.run("doctor", "--full");
        assertThat(doctor.status()).as(doctor.out()).isZero();
    }

    @Test
    void workersOfTwoQueuesInOneFileRunTheirOwnJobs() throws Exception {
        List<String> ids = enqueue(shop, "sold");
        assertThat(enqueue(mail, "sent")).isEqualTo(ids);
        AtWork here = shop.begin("work", "--allow-exec");
        AtWork alsoHere = mail.begin("work", "--allow-exec");
        awaitAll(shop, ids, "sold");
        awaitAll(mail, ids, "sent");
        assertSound(shop);
        assertSound(mail);
        assertThat(here.signal().end().status()).isZero();
        assertThat(alsoHere.signal().end().status()).isZero();
    }

    @Test
    void processesOfTwoQueuesInOneFileWakeTheirOwnWorkers() {
        Running[] workers = {
            shop.start("work", "--allow-exec").said("is running"),
            mail.start("work", "--allow-exec").said("is running")
        };
        List<String> ids = enqueue(shop, "sold");
        awaitAll(shop, ids, "sold");
        assertThat(mail.json("stats", "--json").at("/states/COMPLETED").asInt()).isZero();
        List<String> mailIds = enqueue(mail, "sent");
        awaitAll(mail, mailIds, "sent");
        assertThat(shop.json("workers", "--json").get("workers")).hasSize(1);
        for (Running worker : workers) {
            assertThat(worker.signal("TERM").end().status()).isZero();
        }
        assertSound(shop);
        assertSound(mail);
        assertThat(folder.resolve("jobs.db-windrow")).doesNotExist();
    }

    @Test
    void messagesNameTheTables() {
        shop.enqueue("t");
        assertThat(shop.run("vacuum").out()).startsWith(folder.resolve("jobs.db") + " (tables shop_*): ");
        Result none = mail.run("list");
        assertThat(none.status()).isEqualTo(1);
        assertThat(none.err()).contains("jobs.db (tables mail_*) has no queue");
        Result wrong = mail.with("WINDROW_DB_TABLE_PREFIX", "Mail-").run("list", "--json");
        assertThat(wrong.status()).isEqualTo(2);
        assertThat(wrong.err())
                .contains("WINDROW_DB_TABLE_PREFIX: table prefix 'Mail-' is not allowed: 1 to 30 of a-z 0-9 _");
        assertThat(wrong.out()).isEmpty();
    }

    @Test
    void aQueueMovesToOtherTablesOfItsFile() {
        String id = shop.enqueue("t");
        String file = folder.resolve("jobs.db").toString();
        assertThat(shop.run("copy", "--to", file).err()).contains("are the same queue");
        shop.with("WINDROW_TO_TABLE_PREFIX", "mail_").json("copy", "--to", file, "--close-source", "--json");
        assertThat(mail.json("show", id, "--json").get("state").asString()).isEqualTo("PENDING");
        assertThat(shop.run("enqueue", "t").err())
                .contains("jobs.db (tables shop_*) is closed: its queue was moved to", "(tables mail_*)");
    }
}
