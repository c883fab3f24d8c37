package dev.windrow.tests.http;

/** The same in another container. */
class MountInTomcatTest extends MountTest {
    @Override
    Container container() {
        return Container.TOMCAT;
    }
}
