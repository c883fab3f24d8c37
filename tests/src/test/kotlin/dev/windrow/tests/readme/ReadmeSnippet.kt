package dev.windrow.tests.readme

import dev.windrow.Enqueued
import dev.windrow.JobType
import dev.windrow.Windrow
import dev.windrow.sqlite.SqliteStore
import java.nio.file.Path
import java.sql.SQLException
import java.time.Duration

/** The Kotlin of docs/how-to/kotlin.md: the region is the block there, which ReadmeTest compares and runs. */
object KotlinSnippet {
    // region kotlin
    @JvmRecord data class Greet(val name: String)
    @JvmRecord data class Greeting(val text: String)

    val GREET: JobType<Greet, Greeting> = JobType.of("greet", Greet::class.java, Greeting::class.java)

    fun greet(file: Path): Greeting? =
        Windrow.open(SqliteStore.at(file)).use { windrow ->
            val job = windrow.enqueue(GREET.job(Greet("Ada")).withMaxAttempts(5))
            windrow.worker()
                .handle(GREET) { greet, _ -> Greeting("Hello, ${greet.name}") }
                .start()
                .use { windrow.await(job, Duration.ofSeconds(30)) }
        }
    // endregion

    /** The compiler does not infer what the work may throw. */
    fun greetInTransaction(windrow: Windrow): Enqueued<Greeting> =
        windrow.inTransaction<Enqueued<Greeting>, SQLException> { connection ->
            windrow.on(connection).enqueue(GREET, Greet("Ada"))
        }

    data class Plain(val name: String)

    val PLAIN: JobType<Plain, Void?> = JobType.of("plain", Plain::class.java)

    private val TICK: JobType<Void?, Void?> = JobType.of("tick")

    /** A type without input and result, which Kotlin has to be able to name. */
    fun tick(file: Path): Void? =
        Windrow.open(SqliteStore.at(file)).use { windrow ->
            windrow.worker()
                .handleVoid(TICK) { _, _ -> }
                .start()
                .use { windrow.await(windrow.enqueue(TICK.job()), Duration.ofSeconds(30)) }
        }
}
